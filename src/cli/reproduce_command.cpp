// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/compare_print.hpp"
#include "cli/output_file.hpp"
#include "conccl/bench/report_print.hpp"
#include "conccl/c3/model/losses.hpp"
#include "conccl/c3/model/reproduce.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::cli {
namespace {

struct ReproduceCommand {
  std::vector<std::string> reports;  ///< none: the ConCCL paper's
  std::string machine = "mi300x";
  std::string suite = "llama";
  std::vector<std::string> settings;  ///< of the machine
  std::string isolated = std::string(c3::name_of(c3::Isolated::model));
  std::string csv;
  std::string json;
};

void check_options(const CLI::App& app, const ReproduceCommand& command) {
  if (!command.reports.empty() && app.count("--suite") > 0) {
    throw InputError("--suite: the report has scenarios of its own; expected it without one");
  }
  for (const char* option : {"--set", "--isolated", "--csv", "--json"}) {
    if (!command.reports.empty() || app.count(option) == 0) continue;
    throw InputError(fmt::format("{}: expected with a REPORT.json", option));
  }
  if (command.csv == "-" && command.json == "-") {
    throw InputError("--csv - and --json -: expected at most one on standard output");
  }
}

int reproduce_paper(const ReproduceCommand& command) {
  const Machine machine = c3::load_known_machine(command.machine);
  const c3::Suite suite = c3::load_suite(command.suite);
  fmt::print("a model's figures: nothing was measured here\n");
  fmt::print("machine     {}\nsuite       {}, hash {}\n\n", machine.name, suite.name, suite.hash);
  fmt::print("{}\n", c3::to_text(c3::paper_figures(machine, suite)));
  fmt::print(
      "what conccl loses, in points of percent, causes switched off from left to right\n{}\n",
      c3::to_text(c3::losses_by_class(machine, suite, c3::find_strategy("conccl"))));
  fmt::print("{}",
             c3::to_text(c3::sensitivities(machine, suite, c3::paper_targets(), c3::strategies())));
  return kOk;
}

std::vector<StudyReport> read_measured(const std::vector<std::string>& paths) {
  std::vector<StudyReport> reports;
  for (const std::string& path : paths) {
    if (std::ranges::count(paths, path) > 1) {
      throw InputError(fmt::format("{}: given more than once; expected each report once", path));
    }
    reports.push_back(read_study_report(path));
    if (reports.back().source == bench::kMeasured) continue;
    throw InputError(fmt::format(
        "{}: its times are {}; expected a measured report to set the model beside", path,
        reports.back().source == bench::kFromModel ? "a model's" : reports.back().source));
  }
  return reports;
}

int compare_with_reports(const ReproduceCommand& command) {
  const c3::Isolated isolated = c3::parse_isolated(command.isolated);
  const Machine machine = with_settings(c3::load_known_machine(command.machine), command.settings);
  const std::vector<StudyReport> reports = read_measured(command.reports);
  std::vector<c3::MeasuredRow> rows;
  for (const StudyReport& report : reports) {
    rows.insert(rows.end(), report.rows.begin(), report.rows.end());
  }
  const c3::Comparison comparison = c3::compare(machine, rows, isolated);
  const ShownComparison shown{machine, reports, comparison};
  const OutputFile csv(command.csv);
  const OutputFile json(command.json);
  std::FILE* const out = csv.is_stdout() ? stderr : json.table_stream();
  fmt::print(out, "{}", to_text(shown));
  csv.write(to_csv(shown));
  json.write(to_json(shown));
  return kOk;
}

}  // namespace

Command add_reproduce(CLI::App& tool) {
  auto* app = tool.add_subcommand("reproduce",
                                  "Set the ConCCL paper's figures, or measured reports, beside the "
                                  "model's, line by line");
  const auto command = std::make_shared<ReproduceCommand>();
  app->add_option("REPORT.json", command->reports,
                  "measured reports of conccl c3 --json; without: the ConCCL paper");
  app->add_option("--machine", command->machine, "a machine by name, or a file")
      ->capture_default_str();
  app->add_option("--suite", command->suite, "for the paper: a suite by name, or a file")
      ->capture_default_str();
  // One value each: what follows is a report.
  app->add_option("--set", command->settings,
                  "FIELD=VALUE of that machine, as in its file: what if")
      ->allow_extra_args(false);
  app->add_option("--isolated", command->isolated,
                  "the GEMM's time alone: the model's, or measured, so that contention and the "
                  "collective alone are predicted")
      ->capture_default_str();
  app->add_option("--csv", command->csv, "write every row to a file (-: standard output)");
  app->add_option("--json", command->json,
                  "write rows and summaries to a file (-: standard output)");
  return {app, [app, command] {
            check_options(*app, *command);
            return command->reports.empty() ? reproduce_paper(*command)
                                            : compare_with_reports(*command);
          }};
}

}  // namespace conccl::cli
