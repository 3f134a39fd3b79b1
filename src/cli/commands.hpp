// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The tool's commands: one file each. They parse, call the library, and print.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>
#include <vector>

#include "conccl/backend/registry.hpp"
#include "conccl/cli/tool.hpp"

namespace conccl::cli {

/// What the tool was started with.
struct CommandLine {
  std::vector<std::string> all;      ///< with the tool's own name
  std::vector<std::string> own;      ///< the tool's part, without its name
  std::vector<std::string> program;  ///< `run` alone: the command it is to run
};

/// For `run` the line is cut before the program; "--" may stand there.
[[nodiscard]] CommandLine read_command_line(int argc, char** argv);

/// What every command may look at; outlives it.
struct Context {
  const backend::Registry& registry;
  const CommandLine& line;
};

inline constexpr int kOk = static_cast<int>(ExitCode::ok);

/// `run` returns what the tool exits with, and throws what goes wrong: its type decides the exit
/// code then.
struct Command {
  const CLI::App* app = nullptr;
  std::function<int()> run;
};

[[nodiscard]] Command add_machine(CLI::App& tool, const Context& context);
[[nodiscard]] Command add_plan(CLI::App& tool);
[[nodiscard]] Command add_bench(CLI::App& tool, const Context& context);
[[nodiscard]] Command add_c3(CLI::App& tool, const Context& context);
[[nodiscard]] Command add_advise(CLI::App& tool);
[[nodiscard]] Command add_run(CLI::App& tool, const Context& context);
[[nodiscard]] Command add_reproduce(CLI::App& tool);
[[nodiscard]] Command add_profile(CLI::App& tool, const Context& context);
[[nodiscard]] Command add_doctor(CLI::App& tool, const Context& context);

}  // namespace conccl::cli
