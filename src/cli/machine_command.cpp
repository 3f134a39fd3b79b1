// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/backends.hpp"
#include "cli/commands.hpp"

namespace conccl::cli {
namespace {

/// What is not TOML stands in comments, so that the output is a machine file.
void print_machine(const std::string& name, const backend::Registry& registry) {
  const auto opened = registry.open(name);
  fmt::print("{}", capabilities_text(opened->capabilities(), "# "));
  for (const auto& probed : probe_all(registry)) {
    fmt::print("# backend {}: {}\n", probed.name,
               probed.backend ? "works" : "unavailable: " + probed.reason);
  }
  fmt::print("\n{}", to_toml(opened->machine()));
}

}  // namespace

Command add_machine(CLI::App& tool, const Context& context) {
  auto* app =
      tool.add_subcommand("machine", "Print this machine as a machine file, and what it can do");
  const auto backend = std::make_shared<std::string>();
  add_backend(*app, *backend);
  return {app, [backend, &context] {
            print_machine(*backend, context.registry);
            return kOk;
          }};
}

}  // namespace conccl::cli
