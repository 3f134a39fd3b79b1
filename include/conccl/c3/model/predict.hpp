// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Scenarios under strategies as the model sees them: the study of `conccl c3` without the machine.
/// Collectives on compute units are those of the vendor, whose costs a machine file holds.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conccl/c3/model/simulate.hpp"
#include "conccl/c3/strategy.hpp"
#include "conccl/c3/suite.hpp"
#include "conccl/c3/taxonomy.hpp"

namespace conccl::c3 {

/// The GEMM alone: its measured time where the machine has one (`ModelFacts::gemms`), or else its
/// roofline time, or the last-level cache's if that is longer; each operand moved once through
/// device memory and once per tile through that cache, but no more than they can move in a measured
/// time; a workgroup per tile; its own slowdown table, or else the machine's of its kind.
/// Throws InputError when the machine lacks a figure.
[[nodiscard]] TaskCost gemm_cost(const Machine& machine, const GemmSpec& gemm);
/// The same, with what it and such a collective make each other lose: its own factors, or else
/// those of its kind. Throws as above.
[[nodiscard]] TaskCost gemm_cost(const Machine& machine, const GemmSpec& gemm,
                                 plan::Collective beside);

/// The same task where it was found to take `alone`. Bytes that the machine could not move in that
/// time are left out: they did not go that way.
[[nodiscard]] TaskCost with_time(const Machine& machine, TaskCost cost, Nanoseconds alone);

/// The collective alone. On DMA engines the device must have some, or it is timed with one. Throws
/// InputError when the machine lacks a figure.
[[nodiscard]] Nanoseconds collective_alone(const Machine& machine, const plan::Request& request,
                                           plan::Form form);

/// What strategies need to know of a device of the machine. A rank's own block has a lane of its
/// own where engines are left for it.
[[nodiscard]] DeviceShape device_shape(const Machine& machine);

struct BudgetTime {
  int budget = 0;
  Nanoseconds t_c3{};
};

/// One scenario under one strategy. Times are a model's.
struct Prediction {
  std::string scenario;
  GemmSpec gemm;
  plan::Request request;
  std::string strategy;
  int budget = 0;  ///< the fastest of `sweep`; of equal ones the first
  Nanoseconds t_gemm{};
  Nanoseconds t_comm{};      ///< this strategy's own form, isolated
  Nanoseconds t_baseline{};  ///< isolated, on compute units
  Nanoseconds t_fastest{};   ///< isolated, the faster of both forms
  Nanoseconds t_c3{};
  std::vector<BudgetTime> sweep;  ///< empty without a budget
  /// Where it leaves what the machine's model was fitted to or tabled for, a line each.
  std::vector<std::string> extrapolated;
};

[[nodiscard]] C3Times against_baseline(const Prediction& prediction);
[[nodiscard]] C3Times against_own(const Prediction& prediction);

/// Blocks are whole multiples of it, as in a measured study, and at least one.
inline constexpr Bytes kBlockStep = 64;

/// Plans of more devices would not fit in memory.
inline constexpr int kMostModelled = 1024;

/// What is known of the GEMM where a scenario runs, beside the machine.
struct GemmConditions {
  std::optional<Nanoseconds> alone;  ///< its isolated time, better than from the machine
  /// The part of the time, over a second or so, in which GEMMs run: what `PowerFacts::throttled`
  /// goes by where `alone` is not given.
  double share = 0;
};

/// How much longer a GEMM takes where GEMMs run in such a part of the time; 1 for one that is not
/// bound by compute, and where the machine does not say.
[[nodiscard]] double throttling(const Machine& machine, const GemmSpec& gemm, double share);

/// One scenario on one machine, with one rank per device. Copies what it needs but the machine,
/// which must outlive it. Not for several threads at once.
class ScenarioModel {
 public:
  /// Sizes the collective as the scenario says, a ratio by `baseline_collective`. Throws InputError
  /// when the machine lacks a figure or has not 2 to kMostModelled devices, or the bytes are too
  /// few for its devices.
  ScenarioModel(const Machine& machine, const Scenario& scenario,
                const GemmConditions& conditions = {});

  /// With the best of `budgets_to_sweep` where the strategy has one. Throws InputError with the
  /// reason of `why_not`, or when the machine lacks a figure.
  [[nodiscard]] Prediction predict(const Strategy& strategy) const;
  /// The same with a given budget.
  [[nodiscard]] Prediction predict(const Strategy& strategy, int budget) const;
  /// Its T_c3 alone: nothing isolated is simulated. Throws as `predict`.
  [[nodiscard]] Nanoseconds t_c3(const Strategy& strategy, int budget) const;
  /// The plan that is timed, of all ranks.
  [[nodiscard]] plan::Plan plan(const Strategy& strategy, int budget) const {
    return c3_plan(c3_request(strategy, budget));
  }
  /// When each of its steps would run.
  [[nodiscard]] plan::Timeline timeline(const Strategy& strategy, int budget) const;

  [[nodiscard]] const plan::Request& request() const { return request_; }

 private:
  [[nodiscard]] C3Request c3_request(const Strategy& strategy, int budget) const;
  [[nodiscard]] Nanoseconds kernels_alone() const;
  [[nodiscard]] Nanoseconds dma_alone() const;
  [[nodiscard]] Prediction frame(const Strategy& strategy) const;
  /// The table that the GEMM follows with such a budget.
  [[nodiscard]] const SlowdownTable& slowdown_at(int budget) const;
  [[nodiscard]] std::vector<std::string> extrapolations(const Prediction& prediction) const;

  const Machine& machine_;
  Scenario scenario_;
  TaskCost gemm_;
  plan::Request request_;
  DeviceShape device_;
  mutable std::optional<Nanoseconds> kernels_alone_;  ///< once asked for
  mutable std::optional<Nanoseconds> dma_alone_;
};

/// Why the strategy cannot run on such a machine; empty: it can.
[[nodiscard]] std::string why_no_prediction(const Machine& machine, const Strategy& strategy);

/// Every scenario of the suite under every strategy that can run, scenarios outermost.
[[nodiscard]] std::vector<Prediction> predict_suite(const Machine& machine, const Suite& suite,
                                                    std::span<const Strategy> strategies);

/// Means over one strategy's predictions, against the baseline as the ConCCL paper reports.
/// Scenarios whose ideal is below kLeastIdeal are left out of `percent`.
struct StrategyMeans {
  int scenarios = 0;
  double speedup = 0;
  double ideal = 0;
  double percent = 0;
  double least_percent = 0;
  double most_percent = 0;
  double best_speedup = 0;
};

/// `collective` empty: both. Throws InputError when there is no prediction of the strategy.
[[nodiscard]] StrategyMeans means_of(std::span<const Prediction> predictions,
                                     std::string_view strategy,
                                     std::optional<plan::Collective> collective = {});

}  // namespace conccl::c3
