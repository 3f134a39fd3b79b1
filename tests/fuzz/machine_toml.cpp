// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Machine files: reading, writing, and the times that a model derives from what was read.

#include <limits>

#include "conccl/c3/model/predict.hpp"
#include "conccl/c3/roofline.hpp"
#include "conccl/core/machine.hpp"
#include "tests/fuzz/support.hpp"

namespace conccl {
namespace {

constexpr std::string_view kName = "box.toml";
constexpr Bytes kMaxBytes = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMaxDimension = std::numeric_limits<std::int32_t>::max();

void check_round_trip(const Machine& machine) {
  const std::string written = to_toml(machine);
  const Machine read = parse_machine(written, kName);
  ensure(read == machine, "a machine comes back as it was written");
  ensure_equal(to_toml(read), written, "a machine is always written alike");
}

/// Whatever the figures, a time is neither negative nor not a number, and never falls with bytes.
void check_collective(const Machine& machine, plan::Collective collective) {
  Nanoseconds last{0};
  for (const Bytes bytes : {Bytes{0}, Bytes{1}, kGiB, kMaxBytes}) {
    const auto time =
        fuzz::accepted("", [&] { return c3::baseline_collective(machine, collective, bytes); });
    if (!time) return;
    ensure(*time >= last, "a larger collective takes no less");
    last = *time;
  }
}

void check_gemm(const Machine& machine, const GemmShape& shape) {
  for (const GemmType type : all_gemm_types()) {
    const auto time = fuzz::accepted("", [&] { return c3::roofline_gemm(machine, {shape, type}); });
    ensure(!time || time->count() >= 1, "a GEMM takes time");
  }
}

/// Whatever the figures, a prediction ends, and nothing overlaps to less than its parts.
void check_prediction(const Machine& machine) {
  constexpr int kMostDevices = 8;
  if (machine.devices > kMostDevices) return;
  c3::Scenario scenario;
  scenario.gemm = {{256, 256, 256}};
  scenario.bytes = kMiB;
  for (const auto* name : {"c3_base", "conccl"}) {
    const auto found = fuzz::accepted(
        "", [&] { return c3::ScenarioModel(machine, scenario).predict(c3::find_strategy(name)); });
    if (!found) continue;
    ensure(found->t_c3 >= found->t_comm, "a collective is not faster beside a GEMM");
  }
}

}  // namespace
}  // namespace conccl

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace conccl;
  const auto text = fuzz::text_of(data, size);
  const auto machine = fuzz::accepted(kName, [&] { return parse_machine(text, kName); });
  if (!machine) return 0;
  ensure(text.find('\0') == text.npos, "a NUL is not TOML");
  check_round_trip(*machine);
  for (const auto collective : plan::all_collectives()) check_collective(*machine, collective);
  check_prediction(*machine);
  check_gemm(*machine, {1, 1, 1});
  check_gemm(*machine, {kMaxDimension, kMaxDimension, kMaxDimension});
  return 0;
}
