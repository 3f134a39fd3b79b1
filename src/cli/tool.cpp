// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/cli/tool.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::cli {
namespace {

/// In one write, so that lines of ranks that share a standard error do not mix.
void print_line(std::string_view kind, std::string_view text) noexcept {
  // No string: it would allocate, and may throw.
  std::array<char, 4096> line;
  std::size_t length = 0;
  const auto put = [&line, &length](std::string_view part) {
    for (const char c : part) {
      if (length == line.size()) std::fwrite(line.data(), 1, std::exchange(length, 0), stderr);
      line[length++] = c == '\n' || c == '\r' ? ' ' : c;
    }
  };
  for (const std::string_view part :
       {std::string_view("conccl: "), kind, std::string_view(": "), text}) {
    put(part);
  }
  if (length == line.size()) std::fwrite(line.data(), 1, std::exchange(length, 0), stderr);
  line[length++] = '\n';
  std::fwrite(line.data(), 1, length, stderr);
}

int fail(ExitCode code, const std::exception& error) noexcept {
  std::fflush(stdout);
  print_line("error", error.what());
  return static_cast<int>(code);
}

void log_to_stderr(LogLevel level, std::string_view line) {
  if (level == LogLevel::debug) return;
  print_line(level == LogLevel::warning ? "warning" : "note", line);
}

std::string names_of(const std::vector<Command>& commands) {
  std::string names;
  for (const auto& command : commands) {
    names += (names.empty() ? "" : ", ") + command.app->get_name();
  }
  return names;
}

std::vector<Command> add_commands(CLI::App& tool, const Context& context) {
  return {add_machine(tool, context), add_plan(tool),         add_bench(tool, context),
          add_c3(tool, context),      add_advise(tool),       add_reproduce(tool),
          add_profile(tool, context), add_run(tool, context), add_doctor(tool, context)};
}

void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw RunError(fmt::format("cannot write standard output: {}", std::strerror(errno)));
  }
}

/// CLI11 takes arguments from the back.
void parse(CLI::App& tool, const CommandLine& line) {
  tool.allow_extras();
  tool.parse(std::vector<std::string>(line.own.rbegin(), line.own.rend()));
}

/// As a shell gives for a variable that is not set: better not taken for an option that is not
/// there.
void refuse_empty(const CLI::App& command) {
  for (const auto* const option : command.get_options()) {
    for (const auto& value : option->results()) {
      if (value.empty()) {
        throw InputError(fmt::format("{}: it is empty; expected a value", option->get_name()));
      }
    }
  }
}

int parse_and_run(CLI::App& tool, const Context& context) {
  const auto commands = add_commands(tool, context);
  parse(tool, context.line);
  const auto asked = std::find_if(commands.begin(), commands.end(),
                                  [](const Command& command) { return command.app->parsed(); });
  if (asked == commands.end()) {
    const auto rest = tool.remaining();
    throw InputError(fmt::format(
        "{}; expected one of {}",
        rest.empty() ? "no command" : fmt::format("unknown command \"{}\"", rest.front()),
        names_of(commands)));
  }
  if (const auto rest = tool.remaining(); !rest.empty()) {
    throw InputError(fmt::format("unexpected argument \"{}\"", rest.front()));
  }
  refuse_empty(*asked->app);
  const int code = asked->run();
  flush_output();
  return code;
}

int run_parsed(CLI::App& tool, const Context& context) {
  try {
    return parse_and_run(tool, context);
  } catch (const CLI::Success& asked_for_text) {
    return tool.exit(asked_for_text);
  } catch (const CLI::Error& error) {
    return fail(ExitCode::usage, error);
  }
}

}  // namespace

int run_tool(int argc, char** argv, const backend::Registry& registry) noexcept {
  try {
    set_log_sink(log_to_stderr);
    CLI::App tool("Collectives on DMA engines, and how they overlap with matrix products.",
                  "conccl");
    tool.set_version_flag("--version", "conccl " CONCCL_VERSION);
    const CommandLine line = read_command_line(argc, argv);
    return run_parsed(tool, {registry, line});
  } catch (const std::exception& error) {
    return fail(exit_code_of(error), error);
  }
}

}  // namespace conccl::cli
