// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/compare_print.hpp"
#include "conccl/bench/report_print.hpp"

namespace conccl::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const StudyReport& report) {
  return {{"file", report.name},
          {"machine", report.machine},
          {"emulation", report.emulation},
          {"partial", report.partial},
          {"results", report.rows.size()}};
}

Json json_of(const c3::C3Times& times) {
  return {
      {"t_gemm_ms", times.t_gemm_ms}, {"t_comm_ms", times.t_comm_ms}, {"t_c3_ms", times.t_c3_ms}};
}

Json json_of(const c3::ComparedRow& row) {
  const c3::MeasuredRow& measured = row.measured;
  return {{"report", measured.study},
          {"scenario", measured.scenario},
          {"gemm", to_string(measured.gemm.shape)},
          {"gemm_type", name_of(measured.gemm.type)},
          {"collective", plan::name_of(measured.collective)},
          {"bytes", measured.bytes},
          {"ranks", measured.ranks},
          {"strategy", measured.strategy},
          {"budget", measured.budget},
          {"measured", json_of(measured.times)},
          {"predicted", json_of(row.predicted)},
          {"error",
           {{"t_gemm", row.error.t_gemm}, {"t_comm", row.error.t_comm}, {"t_c3", row.error.t_c3}}},
          {"extrapolated", row.extrapolated}};
}

Json json_of(const c3::Comparison& comparison, const c3::ErrorSummary& summary) {
  const c3::ComparedRow& worst = comparison.rows[summary.worst];
  return {
      {"strategy", summary.strategy.empty() ? Json(nullptr) : Json(summary.strategy)},
      {"collective", summary.collective ? Json(plan::name_of(*summary.collective)) : Json(nullptr)},
      {"rows", summary.rows},
      {"median_t_gemm", summary.median_gemm},
      {"median_t_comm", summary.median_comm},
      {"median_t_c3", summary.median_c3},
      {"mean_t_c3", summary.mean_c3},
      {"worst",
       {{"row", summary.worst},
        {"scenario", worst.measured.scenario},
        {"strategy", worst.measured.strategy},
        {"t_c3", worst.error.t_c3}}},
      {"over_5_percent", summary.over_near},
      {"over_15_percent", summary.over_far},
      {"extrapolated", summary.extrapolated}};
}

constexpr auto kHeader =
    "machine,isolated,report,scenario,gemm,gemm_type,collective,bytes,ranks,strategy,budget,"
    "measured_t_gemm_ms,measured_t_comm_ms,measured_t_c3_ms,predicted_t_gemm_ms,"
    "predicted_t_comm_ms,predicted_t_c3_ms,error_t_gemm,error_t_comm,error_t_c3,extrapolated\n";

std::string csv_line(const ShownComparison& shown, const c3::ComparedRow& row) {
  const c3::MeasuredRow& measured = row.measured;
  std::string line =
      fmt::format("{},{},{},{},{},{},{},{},{},{},{}", bench::csv_cell(shown.machine.name),
                  c3::name_of(shown.comparison.isolated), bench::csv_cell(measured.study),
                  bench::csv_cell(measured.scenario), to_string(measured.gemm.shape),
                  name_of(measured.gemm.type), plan::name_of(measured.collective), measured.bytes,
                  measured.ranks, measured.strategy, measured.budget);
  for (const c3::C3Times* times : {&measured.times, &row.predicted}) {
    line += fmt::format(",{},{},{}", times->t_gemm_ms, times->t_comm_ms, times->t_c3_ms);
  }
  line += fmt::format(",{},{},{}", row.error.t_gemm, row.error.t_comm, row.error.t_c3);
  return line + "," + bench::csv_cell(fmt::format("{}", fmt::join(row.extrapolated, "; "))) + "\n";
}

}  // namespace

std::string to_json(const ShownComparison& shown) {
  const c3::Comparison& comparison = shown.comparison;
  Json json = {{"schema", "conccl.compared/1"},
               {"source", "a model's predictions beside measured times"},
               {"machine", shown.machine.name},
               {"isolated", c3::name_of(comparison.isolated)},
               {"reports", Json::array()},
               {"not_modelled", comparison.not_modelled},
               {"overall", json_of(comparison, c3::overall_errors(comparison))},
               {"summaries", Json::array()},
               {"rows", Json::array()}};
  for (const StudyReport& report : shown.reports) json["reports"].push_back(json_of(report));
  for (const c3::ErrorSummary& summary : c3::errors_by_strategy(comparison)) {
    json["summaries"].push_back(json_of(comparison, summary));
  }
  for (const c3::ComparedRow& row : comparison.rows) json["rows"].push_back(json_of(row));
  // Names may come from files: bytes that are not UTF-8 become U+FFFD rather than an exception.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_csv(const ShownComparison& shown) {
  std::string text = kHeader;
  for (const c3::ComparedRow& row : shown.comparison.rows) text += csv_line(shown, row);
  return text;
}

}  // namespace conccl::cli
