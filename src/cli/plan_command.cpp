// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "conccl/c3/strategy.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/plan/text.hpp"
#include "conccl/plan/verify.hpp"

namespace conccl::cli {
namespace {

/// The plan of all ranks is held in memory: 4,096 ranks are 84 million steps.
constexpr int kMaxPlanRanks = 4096;

struct PlanCommand {
  std::string collective;
  int ranks = 8;
  Bytes bytes = kMiB;
  std::string form = "dma";
  std::string direction = "push";
  int engines = 0;
  std::string strategy;
  int units = 8;
  int budget = 0;
  std::string check;
  std::string json;
  bool in_place = false;
  bool summary = false;
};

plan::Form parse_form(std::string_view name) {
  if (name == "dma") return plan::Form::dma;
  if (name == "compute") return plan::Form::compute;
  throw InputError(fmt::format("--form: \"{}\" is not one of dma, compute", name));
}

plan::Request request_of(const PlanCommand& command) {
  plan::Request request;
  request.collective = plan::parse_collective(command.collective);
  request.ranks = command.ranks;
  request.block = command.bytes / static_cast<Bytes>(command.ranks);
  request.placement = command.in_place ? plan::Placement::in_place : plan::Placement::out_of_place;
  if (const Bytes total = plan::total_bytes(request); total != command.bytes) {
    fmt::print(stderr, "conccl: note: {} bytes are not a multiple of {} ranks; {} are planned\n",
               command.bytes, command.ranks, total);
  }
  return request;
}

plan::Plan build_plan(const PlanCommand& command) {
  const auto request = request_of(command);
  const int engines = command.engines > 0 ? command.engines : std::max(command.ranks - 1, 1);
  const auto direction = parse_direction(command.direction);
  if (command.strategy.empty()) {
    return plan::build(request, {parse_form(command.form), direction, engines, {}, {}});
  }
  return c3::c3_plan({c3::find_strategy(command.strategy),
                      request,
                      {command.units, engines},
                      command.budget,
                      direction});
}

plan::Plan read_plan(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{}: cannot be read", path));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) throw InputError(fmt::format("{}: cannot be read", path));
  return plan::plan_from_json(text, path);
}

/// Throws CheckFailed with the first complaint; all of them are printed.
void verify(const plan::Plan& plan, std::FILE* out) {
  const auto verdict = plan::verify(plan);
  if (verdict.accepted()) {
    fmt::print(out, "verified   {} steps, {} conflicting pairs, all ordered\n", verdict.cost.steps,
               verdict.cost.conflicting_pairs);
    return;
  }
  for (const auto& complaint : verdict.complaints) {
    fmt::print(out, "refused    {}\n", complaint.text);
  }
  throw CheckFailed(fmt::format("the plan is refused: {}", verdict.complaints.front().text));
}

void run_plan(const PlanCommand& command) {
  const bool reads = !command.check.empty();
  if (reads == !command.collective.empty()) {
    throw InputError("expected a collective to plan, or --check FILE");
  }
  const OutputFile json(command.json);
  const auto plan = reads ? read_plan(command.check) : build_plan(command);
  std::FILE* const out = json.table_stream();
  const bool steps = !reads && !command.summary;
  fmt::print(out, "{}", steps ? plan::to_text(plan) : plan::summary_text(plan));
  if (!command.json.empty()) json.write(plan::to_json(plan));
  verify(plan, out);
}

void add_method(CLI::App& app, PlanCommand& command) {
  app.add_option("--form", command.form, "dma or compute")->capture_default_str();
  app.add_option("--direction", command.direction, "push or pull")->capture_default_str();
  add_int(app, "--engines", command.engines, kAnyCount, "DMA engines of a device; 0: one per peer");
}

void add_strategy(CLI::App& app, PlanCommand& command) {
  app.add_option("--strategy", command.strategy, "plan the collective with a GEMM, as c3 does");
  add_int(app, "--units", command.units, kAtLeastOne, "--strategy: compute units of a device");
  add_int(app, "--budget", command.budget, kAnyCount, "--strategy: its budget of compute units");
}

}  // namespace

Command add_plan(CLI::App& tool) {
  auto* app = tool.add_subcommand("plan", "Print the plan of a collective, and prove it");
  const auto command = std::make_shared<PlanCommand>();
  app->add_option("collective", command->collective, "all_gather or all_to_all");
  add_int(*app, "--ranks", command->ranks, {1, kMaxPlanRanks}, "ranks");
  add_bytes(*app, "--bytes", command->bytes, "of the collective, as nccl-tests count them");
  app->add_flag("--in-place", command->in_place, "the input lies in the output (all_gather)");
  add_method(*app, *command);
  add_strategy(*app, *command);
  app->add_option("--check", command->check, "prove the plan in a JSON file instead");
  app->add_option("--json", command->json, "write the plan to a file (-: standard output)");
  app->add_flag("--summary", command->summary, "a few lines instead of every step");
  return {app, [command] {
            run_plan(*command);
            return kOk;
          }};
}

}  // namespace conccl::cli
