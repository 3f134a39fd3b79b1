// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/model/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "c3/roofline_terms.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/core/statistics.hpp"

namespace conccl::c3 {
namespace {

constexpr double kNanosecondsPerMs = 1e6;

[[noreturn]] void refuse(const MeasuredRow& row, const std::string& reason) {
  throw InputError(fmt::format("{}{}scenario {}, strategy {}: {}", row.study,
                               row.study.empty() ? "" : ": ", row.scenario, row.strategy, reason));
}

void check_times(const MeasuredRow& row) {
  for (const double time : {row.times.t_gemm_ms, row.times.t_comm_ms, row.times.t_c3_ms}) {
    if (!(time > 0) || !std::isfinite(time)) {
      refuse(row, fmt::format("a time of {} ms; expected one over zero", time));
    }
  }
}

void check_ranks(const Machine& machine, const MeasuredRow& row) {
  if (row.ranks == machine.devices) return;
  refuse(row, fmt::format("{} ranks, but machine \"{}\" has {} devices; expected the machine of "
                          "the report",
                          row.ranks, machine.name, machine.devices));
}

/// What a vendor's collective with so many thread blocks asks of the machine: units for the GEMM
/// alone.
Strategy by_blocks(Strategy strategy) {
  if (strategy.budget == BudgetKind::comm_units) strategy.carrier = Carrier::vendor_kernels;
  return strategy;
}

Scenario scenario_of(const MeasuredRow& row) {
  Scenario scenario;
  scenario.name = row.scenario;
  scenario.gemm = row.gemm;
  scenario.collective = row.collective;
  scenario.bytes = row.bytes;
  return scenario;
}

C3Times times_of(const Prediction& prediction) {
  return {to_ms(prediction.t_gemm), to_ms(prediction.t_comm), to_ms(prediction.t_c3)};
}

TimeErrors errors_of(const C3Times& predicted, const C3Times& measured) {
  return {predicted.t_gemm_ms / measured.t_gemm_ms - 1,
          predicted.t_comm_ms / measured.t_comm_ms - 1, predicted.t_c3_ms / measured.t_c3_ms - 1};
}

class Comparer {
 public:
  Comparer(const Machine& machine, Isolated isolated)
      : machine_(machine), any_units_(machine), isolated_(isolated) {
    any_units_.model.unit_step = 1;
  }

  [[nodiscard]] ComparedRow row(const MeasuredRow& measured, const Strategy& strategy) const {
    const Prediction prediction = model_of(measured, strategy).predict(strategy, measured.budget);
    const C3Times predicted = times_of(prediction);
    return {measured, predicted, errors_of(predicted, measured.times), prediction.extrapolated};
  }
  [[nodiscard]] double c3_error(const MeasuredRow& measured, const Strategy& strategy) const {
    const Nanoseconds predicted = model_of(measured, strategy).t_c3(strategy, measured.budget);
    return to_ms(predicted) / measured.times.t_c3_ms - 1;
  }

 private:
  [[nodiscard]] ScenarioModel model_of(const MeasuredRow& measured,
                                       const Strategy& strategy) const {
    check_ranks(machine_, measured);
    check_times(measured);
    const DeviceShape device = device_shape(machine_);
    const std::string reason = why_not(by_blocks(strategy), device, measured.budget);
    if (!reason.empty()) refuse(measured, reason);
    const bool partitions = why_not(strategy, device, measured.budget).empty();
    return ScenarioModel(partitions ? machine_ : any_units_, scenario_of(measured),
                         {given_gemm(measured), measured.gemm_share.value_or(0)});
  }
  [[nodiscard]] std::optional<Nanoseconds> given_gemm(const MeasuredRow& row) const {
    if (isolated_ == Isolated::model) return std::nullopt;
    return whole_ns(std::round(row.times.t_gemm_ms * kNanosecondsPerMs));
  }

  const Machine& machine_;
  Machine any_units_;
  Isolated isolated_;
};

/// `chosen` are indices, at least one.
ErrorSummary summary_of(const Comparison& comparison, std::span<const std::size_t> chosen) {
  ErrorSummary summary;
  std::vector<double> gemm;
  std::vector<double> comm;
  std::vector<double> c3;
  summary.worst = chosen.front();
  for (const std::size_t index : chosen) {
    const ComparedRow& row = comparison.rows[index];
    gemm.push_back(std::abs(row.error.t_gemm));
    comm.push_back(std::abs(row.error.t_comm));
    c3.push_back(std::abs(row.error.t_c3));
    summary.mean_c3 += row.error.t_c3 / static_cast<double>(chosen.size());
    if (c3.back() > std::abs(comparison.rows[summary.worst].error.t_c3)) summary.worst = index;
    summary.over_near += c3.back() > kNearError ? 1 : 0;
    summary.over_far += is_far(row) ? 1 : 0;
    summary.extrapolated += row.extrapolated.empty() ? 0 : 1;
  }
  summary.rows = static_cast<int>(chosen.size());
  summary.median_gemm = median(gemm);
  summary.median_comm = median(comm);
  summary.median_c3 = median(c3);
  return summary;
}

template <typename Predicate>
std::vector<std::size_t> rows_where(const Comparison& comparison, Predicate predicate) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    if (predicate(comparison.rows[i].measured)) rows.push_back(i);
  }
  return rows;
}

}  // namespace

std::string_view name_of(Isolated isolated) {
  return isolated == Isolated::model ? "model" : "measured";
}

Isolated parse_isolated(std::string_view name) {
  for (const Isolated isolated : {Isolated::model, Isolated::measured}) {
    if (name == name_of(isolated)) return isolated;
  }
  throw InputError(fmt::format("isolated times \"{}\": expected model or measured", name));
}

bool is_far(const ComparedRow& row) { return std::abs(row.error.t_c3) > kFarError; }

Comparison compare(const Machine& machine, std::span<const MeasuredRow> rows, Isolated isolated) {
  const Comparer comparer(machine, isolated);
  Comparison comparison;
  comparison.isolated = isolated;
  for (const MeasuredRow& row : rows) {
    if (const Strategy* const strategy = own_strategy(row.strategy)) {
      comparison.rows.push_back(comparer.row(row, *strategy));
    } else {
      ++comparison.not_modelled[row.strategy];
    }
  }
  if (!comparison.rows.empty()) return comparison;
  std::string known;
  for (const Strategy& strategy : strategies()) known += fmt::format(" {}", strategy.name);
  throw InputError(
      fmt::format("none of {} results can be predicted; expected one of{}", rows.size(), known));
}

std::vector<double> c3_errors(const Machine& machine, std::span<const MeasuredRow> rows) {
  const Comparer comparer(machine, Isolated::model);
  std::vector<double> errors;
  for (const MeasuredRow& row : rows) {
    errors.push_back(comparer.c3_error(row, find_strategy(row.strategy)));
  }
  return errors;
}

ErrorSummary overall_errors(const Comparison& comparison) {
  ensure(!comparison.rows.empty(), "a comparison has rows");
  return summary_of(comparison, rows_where(comparison, [](const MeasuredRow&) { return true; }));
}

std::vector<ErrorSummary> errors_by_strategy(const Comparison& comparison) {
  std::vector<ErrorSummary> summaries;
  for (const Strategy& strategy : strategies()) {
    for (const plan::Collective collective : plan::all_collectives()) {
      const auto rows = rows_where(comparison, [&](const MeasuredRow& row) {
        return row.strategy == strategy.name && row.collective == collective;
      });
      if (rows.empty()) continue;
      ErrorSummary summary = summary_of(comparison, rows);
      summary.strategy = strategy.name;
      summary.collective = collective;
      summaries.push_back(std::move(summary));
    }
  }
  return summaries;
}

}  // namespace conccl::c3
