// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// One scenario of a study.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <random>

#include "bench/follow_up.hpp"
#include "bench/measurement.hpp"
#include "bench/peers/attached_peers.hpp"
#include "bench/sizing.hpp"
#include "conccl/bench/sustained.hpp"

namespace conccl::bench {

/// What the scenarios of a study share. All must outlive it.
struct StudyParts {
  Rig& rig;
  Peers& peers;
  FollowUp& follow_up;
  const backend::Capabilities& capabilities;
  const StudyOptions& options;
  const std::atomic<bool>* interrupt = nullptr;  ///< may be null
};

/// What a scenario gave.
struct ScenarioOutcome {
  std::vector<Result> results;
  std::optional<Sustained> sustained;  ///< where asked for
};

/// Chooses budgets, runs the rounds, and makes the results.
class ScenarioStudy {
 public:
  /// `strategies`, which must outlive it, can run on such a device beside these peers.
  ScenarioStudy(const StudyParts& parts, const c3::DeviceShape& device,
                const std::vector<c3::Strategy>& strategies);

  [[nodiscard]] int round_count() const;
  /// `after_round` is called round_count() times.
  [[nodiscard]] ScenarioOutcome run(const c3::Scenario& scenario, const Size& size,
                                    std::mt19937_64& random,
                                    const std::function<void()>& after_round);

 private:
  struct Choice {
    c3::Strategy strategy;
    int budget = 0;
    std::vector<SweepPoint> sweep;
  };

  /// What the rounds of one scenario run on.
  struct Stage {
    const c3::Scenario& scenario;
    Workload& workload;
    const std::vector<std::unique_ptr<backend::Gemm>>& gemms;
    AttachedPeers& peers;
    std::mt19937_64& random;
    const std::function<void()>& after_round;
  };

  [[nodiscard]] ScenarioOutcome run_on(const Stage& stage, const Size& size) const;
  [[nodiscard]] std::vector<Choice> choose_budgets(const Stage& stage) const;
  [[nodiscard]] Measurement strategy_measurement(const Stage& stage, const c3::Strategy& strategy,
                                                 int budget) const;
  /// The isolated configurations, then one per choice.
  [[nodiscard]] std::vector<Measurement> all_measurements(const Stage& stage,
                                                          const std::vector<Choice>& choices) const;
  [[nodiscard]] std::vector<Result> results(const Stage& stage, const Size& size,
                                            const std::vector<Choice>& choices,
                                            const std::vector<Measurement>& measured) const;
  /// Rounds of their own for the strategies on DMA engines, where their loss matters.
  void attribute(const Stage& stage, const std::vector<Choice>& choices,
                 const std::vector<Measurement>& measured, std::vector<Result>& list) const;
  [[nodiscard]] Sustained sustain(const Stage& stage, const std::vector<Choice>& choices,
                                  const std::vector<Measurement>& measured) const;
  /// `result` gets everything that is compared with isolated times.
  void compare(Result& result, const c3::Strategy& strategy, const Measurement& entry,
               const std::vector<Measurement>& measured) const;
  /// Where the isolated collective of a strategy stands among the measurements.
  [[nodiscard]] std::size_t isolated_comm(const c3::Strategy& strategy) const;
  [[nodiscard]] std::size_t vendor_comm(c3::Carrier carrier) const;

  Rig& rig_;
  Peers& peers_;
  FollowUp& follow_up_;
  const backend::Capabilities& capabilities_;
  const StudyOptions& options_;
  const std::atomic<bool>* interrupt_;
  c3::DeviceShape device_;
  const std::vector<c3::Strategy>& strategies_;
  std::vector<c3::Carrier> vendor_;
};

}  // namespace conccl::bench
