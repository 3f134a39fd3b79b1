// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/advise_print.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "conccl/c3/suite.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::cli {
namespace {

struct AdviseCommand {
  std::string gemm;
  std::string gemm_type = std::string(name_of(GemmType::bf16));
  std::string collective;
  Bytes bytes = 0;
  std::string machine = "mi300x";
  std::vector<std::string> settings;  ///< of that machine
  std::string rules = std::string(c3::name_of(c3::RuleSet::model));
  std::string strategy;
  std::string evaluate;
  std::string json;
};

constexpr const char* kQuestion[] = {"--gemm", "--collective", "--bytes"};

/// A scenario, or a report: not both, not neither.
void check_options(const CLI::App& app) {
  const bool evaluates = app.count("--evaluate") > 0;
  for (const char* option : kQuestion) {
    if (evaluates && app.count(option) > 0) {
      throw InputError(
          fmt::format("{}: the report has scenarios of its own; expected it without "
                      "--evaluate",
                      option));
    }
    if (!evaluates && app.count(option) == 0) {
      throw InputError(
          fmt::format("{} is missing; expected --gemm, --collective and --bytes, or "
                      "--evaluate",
                      option));
    }
  }
  for (const char* option : {"--gemm-type", "--strategy"}) {
    if (!evaluates || app.count(option) == 0) continue;
    throw InputError(fmt::format("{}: expected it without --evaluate", option));
  }
}

c3::Question question_of(const AdviseCommand& command) {
  return {{parse_gemm_shape(command.gemm), parse_gemm_type(command.gemm_type)},
          plan::parse_collective(command.collective),
          command.bytes};
}

Machine machine_of(const AdviseCommand& command) {
  return with_settings(c3::load_known_machine(command.machine), command.settings);
}

int advise_on(const AdviseCommand& command) {
  const c3::Question question = question_of(command);
  const Machine machine = machine_of(command);
  const c3::Advice advice =
      c3::advise(machine, question, c3::parse_rule_set(command.rules), command.strategy);
  const c3::Strategy& strategy = c3::find_strategy(advice.chosen);
  const int budget = c3::chosen_of(advice).probe.budget;
  const ShownAdvice shown{machine, advice, c3::settings_for(machine, strategy, budget)};
  const OutputFile json(command.json);
  fmt::print(json.table_stream(), "{}", to_text(shown));
  json.write(to_json(shown));
  return kOk;
}

int evaluate_on(const AdviseCommand& command) {
  const StudyReport report = read_study_report(command.evaluate);
  const Machine machine = machine_of(command);
  const c3::RuleSet rules = c3::parse_rule_set(command.rules);
  const c3::Evaluation evaluation = c3::evaluate(machine, report.cases, rules);
  const ShownEvaluation shown{machine, report, rules, evaluation};
  const OutputFile json(command.json);
  fmt::print(json.table_stream(), "{}", to_text(shown));
  json.write(to_json(shown));
  return kOk;
}

}  // namespace

Command add_advise(CLI::App& tool) {
  auto* app =
      tool.add_subcommand("advise", "Say which strategy to use for a GEMM beside a collective");
  const auto command = std::make_shared<AdviseCommand>();
  app->add_option("--gemm", command->gemm, "MxNxK");
  app->add_option("--gemm-type", command->gemm_type, "bf16, fp16, fp8 or fp32")
      ->capture_default_str();
  app->add_option("--collective", command->collective, "all_gather or all_to_all");
  add_bytes(*app, "--bytes", command->bytes, "of the collective, as nccl-tests count them");
  app->add_option("--machine", command->machine, "a machine by name, or a file")
      ->capture_default_str();
  app->add_option("--set", command->settings,
                  "FIELD=VALUE of that machine, as in its file: what if");
  app->add_option("--rules", command->rules,
                  "model: the smallest time of the model of contention; paper: the ConCCL paper's")
      ->capture_default_str();
  app->add_option("--strategy", command->strategy, "that one, whatever the rules say");
  app->add_option("--evaluate", command->evaluate,
                  "a report of conccl c3 --json: how good the choices are for its scenarios");
  app->add_option("--json", command->json, "write the same to a file (-: standard output)");
  return {app, [app, command] {
            check_options(*app);
            return command->evaluate.empty() ? advise_on(*command) : evaluate_on(*command);
          }};
}

}  // namespace conccl::cli
