// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Reports of `conccl c3 --json` as `conccl advise --evaluate` and `conccl reproduce` read them:
/// what is accepted can be judged without a further check.

#include <set>
#include <string>

#include "cli/report_reader.hpp"
#include "tests/fuzz/support.hpp"

namespace conccl::cli {
namespace {

constexpr std::string_view kName = "report.json";

void check_outcome(const c3::Outcome& outcome) {
  ensure(outcome.low_ms > 0, "times are over zero");
  ensure(outcome.low_ms <= outcome.t_c3_ms, "the median is not below the least");
  ensure(outcome.t_c3_ms <= outcome.high_ms, "the median is not over the largest");
  for (const c3::TriedBudget& point : outcome.sweep) {
    ensure(point.budget >= 0, "a budget is not negative");
    ensure(point.t_c3_ms > 0, "a sweep's times are over zero");
  }
}

void check_case(const c3::StudyCase& one) {
  ensure(one.ranks > 0, "a case has ranks");
  ensure(one.question.bytes > 0, "a case has bytes");
  ensure(!one.outcomes.empty(), "a case has outcomes");
  std::set<std::string> strategies;
  for (const c3::Outcome& outcome : one.outcomes) {
    check_outcome(outcome);
    ensure(strategies.insert(outcome.strategy).second, "a case has each strategy once");
  }
}

void check_row(const c3::MeasuredRow& row) {
  ensure(row.ranks > 0 && row.bytes > 0, "a row has ranks and bytes");
  ensure(row.budget >= 0, "a row's budget is not negative");
  ensure(row.times.t_gemm_ms >= 0 && row.times.t_comm_ms >= 0, "isolated times are not negative");
  ensure(row.times.t_c3_ms > 0, "a row's time is over zero");
}

void check_report(const StudyReport& report) {
  ensure(!report.cases.empty(), "a report has cases");
  ensure(!report.source.empty(), "a report says where its times come from");
  std::size_t outcomes = 0;
  for (const auto& one : report.cases) {
    check_case(one);
    outcomes += one.outcomes.size();
  }
  ensure_equal(report.rows.size(), outcomes, "a row per outcome");
  for (const auto& row : report.rows) check_row(row);
}

}  // namespace
}  // namespace conccl::cli

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace conccl;
  const auto text = fuzz::text_of(data, size);
  const auto report = fuzz::accepted(
      cli::kName, [&] { return cli::parse_study_report(text, std::string(cli::kName)); });
  if (report) cli::check_report(*report);
  return 0;
}
