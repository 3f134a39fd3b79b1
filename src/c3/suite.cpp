// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/suite.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "c3/known_files.hpp"
#include "conccl/c3/roofline.hpp"
#include "core/toml_reader.hpp"

namespace conccl::c3 {
namespace {

struct TomlText {
  std::string text;
  std::string name;  ///< what errors call it
};

/// A known name wins over a file of the same name, which "./name" still reaches.
TomlText find_toml(const std::string& name_or_path, std::string_view what,
                   std::span<const KnownFile> known) {
  if (const KnownFile* const file = find_known(known, name_or_path)) {
    return {std::string(file->text), fmt::format("{}.toml", file->name)};
  }
  std::error_code ignored;
  if (!std::filesystem::exists(name_or_path, ignored)) {
    throw InputError(fmt::format(
        "{0} \"{1}\" is neither known nor a file; expected a path, or one of the known {0}s: {2}",
        what, name_or_path, names_of(known)));
  }
  return {read_toml_file(name_or_path, what), name_or_path};
}

}  // namespace

Suite load_suite(const std::string& name_or_path) {
  const TomlText file = find_toml(name_or_path, "suite", known_suites());
  return parse_suite(file.text, file.name);
}

Machine load_known_machine(const std::string& name_or_path) {
  const TomlText file = find_toml(name_or_path, "machine", known_machines());
  return parse_machine(file.text, file.name);
}

std::optional<Bytes> bytes_among(const Scenario& scenario, int ranks) {
  if (!scenario.bytes_per_rank) return scenario.bytes;
  return checked_product(*scenario.bytes_per_rank, static_cast<Bytes>(ranks),
                         "bytes_per_rank of scenario " + scenario.name);
}

double ratio_on(const Machine& machine, const Scenario& scenario) {
  if (scenario.ratio) return *scenario.ratio;
  const Nanoseconds gemm = roofline_gemm(machine, scenario.gemm);
  const Nanoseconds comm = baseline_collective(machine, scenario.collective,
                                               bytes_among(scenario, machine.devices).value());
  return static_cast<double>(comm.count()) / static_cast<double>(gemm.count());
}

}  // namespace conccl::c3
