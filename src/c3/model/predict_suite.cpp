// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "conccl/c3/model/predict.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

void add(StrategyMeans& means, int& counted, const Prediction& prediction) {
  const C3Times times = against_baseline(prediction);
  ++means.scenarios;
  means.speedup += speedup(times);
  means.ideal += ideal_speedup(times);
  means.best_speedup = std::max(means.best_speedup, speedup(times));
  const auto percent = percent_of_ideal(times);
  if (!percent) return;
  means.least_percent = counted == 0 ? *percent : std::min(means.least_percent, *percent);
  means.most_percent = counted == 0 ? *percent : std::max(means.most_percent, *percent);
  means.percent += *percent;
  ++counted;
}

}  // namespace

std::string why_no_prediction(const Machine& machine, const Strategy& strategy) {
  const DeviceShape device = device_shape(machine);
  if (strategy.budget == BudgetKind::none) return why_not(strategy, device, 0);
  if (!budgets_to_sweep(strategy, device).empty()) return {};
  return why_not(strategy, device, device.unit_step);
}

std::vector<Prediction> predict_suite(const Machine& machine, const Suite& suite,
                                      std::span<const Strategy> strategies) {
  std::vector<Prediction> all;
  for (const Scenario& scenario : suite.scenarios) {
    const ScenarioModel model(machine, scenario);
    for (const Strategy& strategy : strategies) {
      if (why_no_prediction(machine, strategy).empty()) all.push_back(model.predict(strategy));
    }
  }
  return all;
}

StrategyMeans means_of(std::span<const Prediction> predictions, std::string_view strategy,
                       std::optional<plan::Collective> collective) {
  StrategyMeans means;
  int counted = 0;
  for (const Prediction& prediction : predictions) {
    if (prediction.strategy != strategy) continue;
    if (collective && prediction.request.collective != *collective) continue;
    add(means, counted, prediction);
  }
  if (means.scenarios == 0) {
    throw InputError(fmt::format("strategy {}: there is no prediction of it", strategy));
  }
  means.speedup /= means.scenarios;
  means.ideal /= means.scenarios;
  if (counted > 0) means.percent /= counted;
  return means;
}

}  // namespace conccl::c3
