// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "conccl/c3/model/reproduce.hpp"

namespace conccl::cli {
namespace {

struct ReproduceCommand {
  std::string machine = "mi300x";
  std::string suite = "llama";
};

int run_reproduce(const ReproduceCommand& command) {
  const Machine machine = c3::load_known_machine(command.machine);
  const c3::Suite suite = c3::load_suite(command.suite);
  fmt::print("a model's figures: nothing was measured here\n");
  fmt::print("machine     {}\nsuite       {}, hash {}\n\n", machine.name, suite.name, suite.hash);
  fmt::print("{}\n", c3::to_text(c3::paper_figures(machine, suite)));
  fmt::print("{}",
             c3::to_text(c3::sensitivities(machine, suite, c3::paper_targets(), c3::strategies())));
  return kOk;
}

}  // namespace

Command add_reproduce(CLI::App& tool) {
  auto* app = tool.add_subcommand(
      "reproduce", "Set the ConCCL paper's figures beside the model's, line by line");
  const auto command = std::make_shared<ReproduceCommand>();
  app->add_option("--machine", command->machine, "a machine by name, or a file")
      ->capture_default_str();
  app->add_option("--suite", command->suite, "a suite by name, or a file")->capture_default_str();
  return {app, [command] { return run_reproduce(*command); }};
}

}  // namespace conccl::cli
