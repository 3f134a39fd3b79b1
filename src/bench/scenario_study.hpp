// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// One scenario of a study.
#pragma once

#include <functional>
#include <map>
#include <random>

#include "bench/measurement.hpp"
#include "bench/sizing.hpp"

namespace conccl::bench {

/// Chooses budgets, runs the rounds, and makes the results.
class ScenarioStudy {
 public:
  ScenarioStudy(Rig& rig, const StudyOptions& options, const c3::DeviceShape& device,
                const std::vector<c3::Strategy>& strategies);

  [[nodiscard]] int round_count() const;
  /// `after_round` is called round_count() times.
  [[nodiscard]] std::vector<Result> run(const c3::Scenario& scenario, const Size& size,
                                        std::mt19937_64& random,
                                        const std::function<void()>& after_round);

 private:
  struct Choice {
    c3::Strategy strategy;
    int budget = 0;
    std::vector<SweepPoint> sweep;
  };

  [[nodiscard]] std::vector<Choice> choose_budgets(const c3::Scenario& scenario, Workload& workload,
                                                   std::mt19937_64& random,
                                                   const std::function<void()>& after_round) const;
  [[nodiscard]] Measurement strategy_measurement(const plan::Request& request,
                                                 const c3::Strategy& strategy, int budget) const;
  [[nodiscard]] std::vector<Measurement> all_measurements(const plan::Request& request,
                                                          const std::vector<Choice>& choices) const;
  [[nodiscard]] std::vector<Result> results(const c3::Scenario& scenario, const Size& size,
                                            const std::vector<Choice>& choices,
                                            const std::vector<Measurement>& measured) const;

  Rig& rig_;
  const StudyOptions& options_;
  c3::DeviceShape device_;
  const std::vector<c3::Strategy>& strategies_;
};

}  // namespace conccl::bench
