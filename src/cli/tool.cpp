// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/cli/tool.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "cli/commands.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::cli {
namespace {

void print_line(std::string_view kind, std::string_view text) noexcept {
  // stdio rather than fmt: it neither allocates nor throws.
  std::fprintf(stderr, "conccl: %.*s: ", static_cast<int>(kind.size()), kind.data());
  for (const char c : text) std::fputc(c == '\n' || c == '\r' ? ' ' : c, stderr);
  std::fputc('\n', stderr);
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

std::vector<Command> add_commands(CLI::App& tool, const backend::Registry& registry) {
  return {add_machine(tool, registry), add_plan(tool), add_bench(tool, registry),
          add_c3(tool, registry), add_doctor(tool, registry)};
}

void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw RunError(fmt::format("cannot write standard output: {}", std::strerror(errno)));
  }
}

void parse_and_run(CLI::App& tool, int argc, char** argv, const backend::Registry& registry) {
  const auto commands = add_commands(tool, registry);
  tool.allow_extras();
  tool.parse(argc, argv);
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
  asked->run();
  flush_output();
}

int run_parsed(CLI::App& tool, int argc, char** argv, const backend::Registry& registry) {
  try {
    parse_and_run(tool, argc, argv, registry);
    return static_cast<int>(ExitCode::ok);
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
    return run_parsed(tool, argc, argv, registry);
  } catch (const InputError& error) {
    return fail(ExitCode::usage, error);
  } catch (const CheckFailed& error) {
    return fail(ExitCode::check_failed, error);
  } catch (const Unavailable& error) {
    return fail(ExitCode::unavailable, error);
  } catch (const Interrupted& error) {
    return fail(ExitCode::interrupted, error);
  } catch (const std::exception& error) {
    return fail(ExitCode::run_failed, error);
  }
}

}  // namespace conccl::cli
