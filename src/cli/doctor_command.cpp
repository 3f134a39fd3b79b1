// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <sched.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <thread>

#include "cli/backends.hpp"
#include "cli/commands.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::cli {
namespace {

void print_cores() {
  const auto cores = std::thread::hardware_concurrency();
  cpu_set_t set;
  CPU_ZERO(&set);
  const bool known = ::sched_getaffinity(0, sizeof(set), &set) == 0;
  const auto usable = known ? static_cast<unsigned>(CPU_COUNT(&set)) : cores;
  fmt::print("cores       {} usable\n", usable);
  if (usable < 2) {
    fmt::print(
        "warning     with one core nothing can overlap; give the process at least two (taskset, "
        "container limits)\n");
  }
}

void diagnose(const backend::Registry& registry) {
  const auto all = probe_all(registry);
  print_cores();
  for (const auto& probed : all) {
    if (!probed.backend) {
      fmt::print("backend     {}: unavailable: {}\n", probed.name, probed.reason);
      continue;
    }
    fmt::print("backend     {}: works\n", probed.name);
    const auto& capabilities = probed.backend->capabilities();
    fmt::print("{}", capabilities_text(capabilities, "  "));
    for (const auto& warning : capabilities.warnings) fmt::print("warning     {}\n", warning);
  }
  if (std::none_of(all.begin(), all.end(), [](const Probed& p) { return p.backend != nullptr; })) {
    throw Unavailable("no backend works here; the reasons are above");
  }
}

}  // namespace

Command add_doctor(CLI::App& tool, const Context& context) {
  auto* app = tool.add_subcommand("doctor", "Say what works here, what does not, and the remedy");
  return {app, [&context] {
            diagnose(context.registry);
            return kOk;
          }};
}

}  // namespace conccl::cli
