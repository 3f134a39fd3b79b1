// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/c3_screen.hpp"

#include <fmt/format.h>

#include "conccl/bench/report_print.hpp"

namespace conccl::cli {
namespace {

std::vector<std::string> strategies_of(const std::vector<bench::Result>& results) {
  std::vector<std::string> names;
  for (const auto& result : results) names.push_back(result.strategy);
  return names;
}

}  // namespace

StudyScreen::StudyScreen(const ReportFiles& files)
    : json_(files.json),
      csv_(files.csv),
      trace_(files.trace),
      table_(csv_.is_stdout() ? stderr : json_.table_stream()) {}

void StudyScreen::show(const bench::StudyProgress& progress, const bench::Report& report) {
  head(report);
  progress_.show(progress);
}

void StudyScreen::row(const bench::Report& report, const std::vector<bench::Result>& results) {
  head(report);
  if (!titled_) print(bench::table_titles(strategies_of(results)));
  titled_ = true;
  print(bench::table_row(results));
}

void StudyScreen::note(const std::string& text) {
  if (!text.empty()) print("\n" + text);
}

void StudyScreen::foot(const bench::Report& report) {
  print(bench::table_foot(report));
  json_.write(bench::to_json(report));
  csv_.write(bench::to_csv(report));
  trace_.write(report.trace);
}

void StudyScreen::head(const bench::Report& report) {
  if (!headed_) print(bench::table_head(report) + "\n");
  headed_ = true;
}

void StudyScreen::print(const std::string& text) {
  progress_.clear();
  fmt::print(table_, "{}", text);
  std::fflush(table_);
}

}  // namespace conccl::cli
