// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/commands.hpp"
#include "cli/launcher.hpp"
#include "cli/options.hpp"
#include "conccl/comm/unique_id.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::cli {
namespace {

struct RunCommand {
  int ranks = 0;
  int grace_s = 35;
  std::string interface;
};

int run(const RunCommand& command, OutputStyle output, const std::vector<std::string>& program) {
  if (program.empty()) {
    throw InputError("run: no program; expected conccl run -n RANKS PROGRAM [ARGUMENTS]");
  }
  LaunchOptions options;
  options.command = program;
  options.ranks = command.ranks;
  options.grace = std::chrono::seconds(command.grace_s);
  options.interface = command.interface;
  options.output = output;
  const LaunchResult result = launch(options);
  const auto failure = result.first_failure();
  if (!failure) return kOk;
  fmt::print(stderr, "conccl: {}\n", text_of(*failure));
  return failure->exit_code();
}

}  // namespace

Command add_run(CLI::App& tool, const Context& context) {
  auto* app = tool.add_subcommand("run", "Start a program as the ranks of a run, one process each");
  const auto command = std::make_shared<RunCommand>();
  add_int(*app, "-n,--ranks", command->ranks, {1, comm::kMaxJoined}, "how many ranks")->required();
  app->add_flag("--tag")->description("begin every line of output with its rank");
  add_int(*app, "--grace", command->grace_s, {0, 86'400},
          "seconds the other ranks have to end after one has failed");
  app->add_option("--interface", command->interface,
                  "network interface at which the ranks meet; without it, loopback");
  app->footer("What follows is the program with its arguments; \"--\" may stand before it.");
  return {app, [app, command, &context] {
            const auto output = app->count("--tag") > 0 ? OutputStyle::tagged : OutputStyle::plain;
            return run(*command, output, context.line.program);
          }};
}

}  // namespace conccl::cli
