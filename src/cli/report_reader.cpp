// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/report_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "cli/json_field.hpp"
#include "conccl/bench/report.hpp"
#include "conccl/bench/report_print.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::cli {
namespace {

constexpr std::string_view kReport = "a report of conccl c3 --json";

void check_schema(const Field& root) {
  static constexpr std::array kRead{bench::kReportSchema, bench::kReportSchema5,
                                    bench::kReportSchema4};
  const auto schema = root.at("schema").text();
  if (std::ranges::find(kRead, schema) != kRead.end()) return;
  root.at("schema").fail(
      fmt::format("\"{}\"; expected \"{}\", {}", schema, fmt::join(kRead, "\" or \""), kReport));
}

c3::Outcome outcome_of(const Field& result) {
  const Field times = result.at("t_c3_ms");
  c3::Outcome outcome{result.at("strategy").text(),
                      times.at("median").time(),
                      times.at("min").time(),
                      times.at("max").time(),
                      {}};
  if (outcome.low_ms > outcome.t_c3_ms || outcome.t_c3_ms > outcome.high_ms) {
    times.fail("expected min <= median <= max");
  }
  for (const Field& point : result.at("sweep").list()) {
    outcome.sweep.push_back(
        {static_cast<int>(point.at("budget").whole(0, kMostUnits)), point.at("t_c3_ms").time()});
  }
  return outcome;
}

c3::StudyCase case_of(const Field& result) {
  c3::StudyCase one;
  one.scenario = result.at("scenario").text();
  one.question.gemm = {result.at("gemm").parsed(parse_gemm_shape),
                       result.at("gemm_type").parsed(parse_gemm_type)};
  one.question.collective = result.at("collective").parsed(plan::parse_collective);
  one.question.bytes = result.at("bytes").whole(1, kMostBytes);
  one.ranks = static_cast<int>(result.at("ranks").whole(1, kMostUnits));
  return one;
}

bool is_same_question(const c3::StudyCase& a, const c3::StudyCase& b) {
  return a.ranks == b.ranks && a.question.gemm == b.question.gemm &&
         a.question.bytes == b.question.bytes;
}

void add_result(std::vector<c3::StudyCase>& cases, const Field& result) {
  c3::StudyCase one = case_of(result);
  auto found = std::find_if(cases.begin(), cases.end(), [&](const c3::StudyCase& known) {
    return known.scenario == one.scenario && known.question.collective == one.question.collective;
  });
  if (found == cases.end()) found = cases.insert(cases.end(), one);
  if (!is_same_question(*found, one)) {
    result.fail("another GEMM, size or number of ranks than this scenario's other results");
  }
  c3::Outcome outcome = outcome_of(result);
  for (const c3::Outcome& known : found->outcomes) {
    if (known.strategy != outcome.strategy) continue;
    result.fail(fmt::format("strategy {} once more; expected it once per scenario and collective",
                            outcome.strategy));
  }
  found->outcomes.push_back(std::move(outcome));
}

c3::MeasuredRow row_of(const Field& result, const std::string& study, bool has_share) {
  const c3::StudyCase one = case_of(result);
  c3::MeasuredRow row;
  row.study = study;
  row.scenario = one.scenario;
  row.gemm = one.question.gemm;
  row.collective = one.question.collective;
  row.bytes = one.question.bytes;
  row.ranks = one.ranks;
  row.strategy = result.at("strategy").text();
  row.budget = static_cast<int>(result.at("budget").whole(0, kMostUnits));
  if (has_share) row.gemm_share = result.at("gemm_share").share_or_none();
  row.times = {result.at("t_gemm_ms").at("median").time_or_zero(),
               result.at("t_comm_ms").at("median").time_or_zero(),
               result.at("t_c3_ms").at("median").time()};
  return row;
}

std::string joined(const std::set<std::string>& sources) {
  std::string all;
  for (const std::string& source : sources) all += (all.empty() ? "" : " and ") + source;
  return all;
}

std::string source_of(const Field& result) {
  const Field source = result.at("source");
  const auto text = source.text();
  if (text == bench::kMeasured || text == bench::kFromModel) return text;
  source.fail(fmt::format("\"{}\"; expected {} or {}", text, bench::kMeasured, bench::kFromModel));
}

}  // namespace

StudyReport parse_study_report(std::string_view text, const std::string& name) {
  const FieldJson json = json_of(text, name, kReport);
  const Field root(json, name);
  check_schema(root);
  const bool has_share = root.at("schema").text() != bench::kReportSchema4;
  StudyReport report;
  report.name = name;
  report.machine = root.at("machine").at("name").text();
  report.emulation = root.at("emulation").flag();
  report.partial = root.at("partial").flag();
  std::set<std::string> sources;
  for (const Field& result : root.at("results").list()) {
    add_result(report.cases, result);
    report.rows.push_back(row_of(result, name, has_share));
    sources.insert(source_of(result));
  }
  if (report.cases.empty()) root.at("results").fail("empty; expected at least one result");
  report.source = joined(sources);
  return report;
}

StudyReport read_study_report(const std::string& path) {
  return parse_study_report(text_of(path, kReport), path);
}

}  // namespace conccl::cli
