// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conccl/bench/report_print.hpp"

namespace conccl::bench {
namespace {

std::string cell(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

void add_columns(std::vector<std::string>& cells, std::string_view name) {
  for (const auto* part : {"median", "min", "max", "n"}) {
    cells.push_back(fmt::format("{}_{}", name, part));
  }
}

void add_against_columns(std::vector<std::string>& cells, std::string_view name) {
  for (const auto* part : {"t_comm_ms", "speedup", "ideal", "percent", "low", "high"}) {
    cells.push_back(fmt::format("{}_{}", name, part));
  }
}

std::vector<std::string> header() {
  std::vector<std::string> cells = {"scenario", "gemm",  "gemm_type",      "collective",
                                    "strategy", "bytes", "bytes_per_peer", "ranks",
                                    "class",    "budget"};
  for (const auto* name : {"t_gemm_ms", "t_comm_ms", "t_c3_ms"}) add_columns(cells, name);
  for (const auto* name : {"own", "baseline"}) add_against_columns(cells, name);
  for (const auto* name : {"check_bytes", "check_mismatches", "check_gemm_mismatches", "source"}) {
    cells.emplace_back(name);
  }
  return cells;
}

void add(std::vector<std::string>& cells, const Summary& summary) {
  for (const double value : {summary.median, summary.min, summary.max}) {
    cells.push_back(fmt::format("{}", value));
  }
  cells.push_back(fmt::format("{}", summary.n));
}

void add(std::vector<std::string>& cells, const std::optional<AgainstIdeal>& against) {
  if (!against) {
    cells.insert(cells.end(), 6, std::string());
    return;
  }
  for (const double value : {against->t_comm_ms, against->speedup, against->ideal}) {
    cells.push_back(fmt::format("{}", value));
  }
  cells.push_back(cell(against->percent));
  const auto& interval = against->interval;
  cells.push_back(cell(interval ? std::optional(interval->low) : std::nullopt));
  cells.push_back(cell(interval ? std::optional(interval->high) : std::nullopt));
}

std::vector<std::string> row(const Result& result) {
  std::vector<std::string> cells = {csv_cell(result.scenario),
                                    to_string(result.gemm.shape),
                                    std::string(name_of(result.gemm.type)),
                                    std::string(plan::name_of(result.collective)),
                                    csv_cell(result.strategy),
                                    fmt::format("{}", result.bytes),
                                    fmt::format("{}", result.bytes_per_peer),
                                    fmt::format("{}", result.ranks),
                                    std::string(c3::name_of(result.balance)),
                                    fmt::format("{}", result.budget)};
  for (const auto* times : {&result.t_gemm_ms, &result.t_comm_ms, &result.t_c3_ms}) {
    add(cells, *times);
  }
  add(cells, std::optional(result.own));
  add(cells, result.baseline);
  for (const auto count :
       {result.check.bytes, result.check.mismatches, result.check.gemm_mismatches}) {
    cells.push_back(fmt::format("{}", count));
  }
  cells.push_back(csv_cell(result.source));
  return cells;
}

}  // namespace

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + "\"";
}

std::string to_csv(const Report& report) {
  std::string text = fmt::format("{}\n", fmt::join(header(), ","));
  for (const auto& result : report.results) {
    text += fmt::format("{}\n", fmt::join(row(result), ","));
  }
  return text;
}

}  // namespace conccl::bench
