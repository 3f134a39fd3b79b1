// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The tool's commands: one file each. They parse, call the library, and print.
#pragma once

#include <CLI/App.hpp>
#include <functional>

#include "conccl/backend/registry.hpp"

namespace conccl::cli {

/// `run` throws what goes wrong; its type decides the exit code. The registry must outlive it.
struct Command {
  const CLI::App* app = nullptr;
  std::function<void()> run;
};

[[nodiscard]] Command add_machine(CLI::App& tool, const backend::Registry& registry);
[[nodiscard]] Command add_plan(CLI::App& tool);
[[nodiscard]] Command add_bench(CLI::App& tool, const backend::Registry& registry);
[[nodiscard]] Command add_c3(CLI::App& tool, const backend::Registry& registry);
[[nodiscard]] Command add_doctor(CLI::App& tool, const backend::Registry& registry);

}  // namespace conccl::cli
