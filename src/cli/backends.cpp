// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/backends.hpp"

#include <fmt/format.h>

#include <iterator>

#include "conccl/core/errors.hpp"

namespace conccl::cli {

std::vector<Probed> probe_all(const backend::Registry& registry) {
  std::vector<Probed> all;
  for (const auto& entry : registry.entries()) {
    Probed probed;
    probed.name = entry.name;
    try {
      probed.backend = entry.open();
    } catch (const Error& error) {
      probed.reason = error.what();
    }
    all.push_back(std::move(probed));
  }
  return all;
}

std::string capabilities_text(const backend::Capabilities& capabilities, std::string_view prefix) {
  std::string text;
  const auto line = [&](std::string_view name, const auto& value) {
    fmt::format_to(std::back_inserter(text), "{}{:<14} {}\n", prefix, name, value);
  };
  line("backend", capabilities.backend);
  if (capabilities.emulation) line("emulation", "times show function, not hardware");
  if (capabilities.shared_units) line("cores", "shared by all ranks: one rank slows another");
  line("ranks", fmt::format("at most {}", capabilities.max_devices));
  line("compute units", fmt::format("{} per rank", capabilities.compute_units));
  line("DMA engines", fmt::format("{} per rank", capabilities.dma_engines));
  line("GEMM", to_string(capabilities.gemms));
  if (!capabilities.gemms.empty()) line("BLAS", capabilities.gemm_library);
  return text;
}

void add_backend(CLI::App& app, std::string& target) {
  app.add_option("--backend", target, "backend by name; without it, the first that works");
}

}  // namespace conccl::cli
