// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "cli/compare_print.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::cli {
namespace {

using c3::ComparedRow;
using c3::Comparison;
using c3::ErrorSummary;

std::string report_line(const StudyReport& report) {
  return fmt::format("report      {}: {}, {} results{}{}\n", one_line(report.name),
                     one_line(report.machine), report.rows.size(),
                     report.partial ? "; partial: the run did not finish" : "",
                     report.emulation ? "; emulation: its times show function, not hardware" : "");
}

std::string_view isolated_text(c3::Isolated isolated) {
  return isolated == c3::Isolated::model
             ? "the model's"
             : "the measured one: contention and the collective alone are predicted";
}

std::string not_modelled_text(const Comparison& comparison) {
  std::string text;
  for (const auto& [strategy, rows] : comparison.not_modelled) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", one_line(strategy), rows);
  }
  return text.empty() ? "nothing" : "not modelled: " + text;
}

std::string head_of(const ShownComparison& shown) {
  std::string text = fmt::format(
      "a model against a measurement: predictions are the model's, measured times the report's\n"
      "machine     {}\n",
      shown.machine.name);
  for (const StudyReport& report : shown.reports) text += report_line(report);
  return text + fmt::format("GEMM alone  {}\nleft out    {}\n",
                            isolated_text(shown.comparison.isolated),
                            not_modelled_text(shown.comparison));
}

std::string titles() {
  return fmt::format(
      "errors in %: predicted over measured, less 1; medians without sign\n\n"
      "{:<31} {:-^36} {:>7} {:>7}\n"
      "{:<12} {:<12} {:>5} {:>7} {:>7} {:>7} {:>6} {:>5} {:>7} {:>7} {:>13}  {}\n",
      "", " T_c3 ", "T_gemm", "T_comm", "strategy", "collective", "rows", "median", "mean", "worst",
      fmt::format("> {:.0f}", 100 * c3::kNearError), fmt::format("> {:.0f}", 100 * c3::kFarError),
      "median", "median", "extrapolated", "worst T_c3 of");
}

/// Where the summary does not say strategy and collective, its worst row does.
std::string place_of(const c3::MeasuredRow& row, const ErrorSummary& summary) {
  if (!summary.strategy.empty()) return one_line(row.scenario);
  return fmt::format("{}, {}, {}", one_line(row.scenario), plan::name_of(row.collective),
                     row.strategy);
}

std::string summary_line(const Comparison& comparison, const ErrorSummary& summary) {
  const ComparedRow& worst = comparison.rows[summary.worst];
  return fmt::format(
      "{:<12} {:<12} {:>5} {:>7.1f} {:>+7.1f} {:>+7.1f} {:>6} {:>5} {:>7.1f} {:>7.1f} {:>13}  {}\n",
      summary.strategy.empty() ? "all" : summary.strategy,
      summary.collective ? plan::name_of(*summary.collective) : "", summary.rows,
      100 * summary.median_c3, 100 * summary.mean_c3, 100 * worst.error.t_c3, summary.over_near,
      summary.over_far, 100 * summary.median_gemm, 100 * summary.median_comm, summary.extrapolated,
      place_of(worst.measured, summary));
}

std::string row_line(const ComparedRow& row, bool names_study) {
  return fmt::format("{:<28} {:<12} {:<10} {:>6} {:>11.3f} {:>11.3f}{} {:>+8.1f}{}\n",
                     one_line(row.measured.scenario), plan::name_of(row.measured.collective),
                     row.measured.strategy, row.measured.budget, row.measured.times.t_c3_ms,
                     row.predicted.t_c3_ms, row.extrapolated.empty() ? " " : "*",
                     100 * row.error.t_c3, names_study ? "  " + one_line(row.measured.study) : "");
}

std::string far_rows(const ShownComparison& shown, const ErrorSummary& all) {
  const double limit = 100 * c3::kFarError;
  if (all.over_far == 0) return fmt::format("\nno T_c3 is off by more than {:.0f} %\n", limit);
  std::string text = fmt::format(
      "\nT_c3 off by more than {:.0f} %; * extrapolated\n"
      "{:<28} {:<12} {:<10} {:>6} {:>11} {:>12} {:>8}\n",
      limit, "scenario", "collective", "strategy", "budget", "measured ms", "predicted", "error %");
  for (const ComparedRow& row : shown.comparison.rows) {
    if (c3::is_far(row)) text += row_line(row, shown.reports.size() > 1);
  }
  return text;
}

}  // namespace

std::string to_text(const ShownComparison& shown) {
  const Comparison& comparison = shown.comparison;
  const ErrorSummary all = c3::overall_errors(comparison);
  std::string text = head_of(shown) + titles();
  for (const ErrorSummary& summary : c3::errors_by_strategy(comparison)) {
    text += summary_line(comparison, summary);
  }
  return text + summary_line(comparison, all) + far_rows(shown, all);
}

}  // namespace conccl::cli
