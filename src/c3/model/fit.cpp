// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/model/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "c3/model/samples.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

constexpr int kHalvings = 40;
constexpr double kMet = 0.05;  // percentage points; rounding the constant moves it by less
constexpr double kChange = 0.1;

double mean_percent(const Machine& machine, const Suite& suite, std::string_view strategy) {
  const std::array only{find_strategy(strategy)};
  return means_of(predict_suite(machine, suite, only), strategy).percent;
}

class Fitter {
 public:
  Fitter(Machine machine, const Suite& suite) : machine_(std::move(machine)), suite_(suite) {}

  void fit(const FitTarget& target) {
    double low = target.low;
    double high = target.high;
    const double at_low = percent_at(target, low);
    const double at_high = percent_at(target, high);
    const bool rises = at_high > at_low;
    if (target.percent < std::min(at_low, at_high) || target.percent > std::max(at_low, at_high)) {
      throw InputError(fmt::format(
          "{} between {} and {} gives {:.1f} to {:.1f} % of ideal under {}; expected {} within",
          target.field, low, high, at_low, at_high, target.strategy, target.percent));
    }
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (low + high) / 2;
      const bool below = percent_at(target, middle) < target.percent;
      (below == rises ? low : high) = middle;
    }
    machine_.model.*target.constant = rounded((low + high) / 2);
    machine_.sources[std::string(target.field)] = fmt::format(
        "fitted to {} % of ideal under {}, ConCCL paper", target.percent, target.strategy);
  }

  void check(const FitTarget& target) const {
    const double found = mean_percent(machine_, suite_, target.strategy);
    if (std::abs(found - target.percent) <= kMet) return;
    throw InputError(
        fmt::format("{} % of ideal under {} became {:.2f}; expected a target that "
                    "later ones leave alone",
                    target.percent, target.strategy, found));
  }

  Machine take() { return std::move(machine_); }

 private:
  double percent_at(const FitTarget& target, double value) {
    machine_.model.*target.constant = value;
    return mean_percent(machine_, suite_, target.strategy);
  }

  Machine machine_;
  const Suite& suite_;
};

void add_changed(const Machine& machine, const Suite& suite, const FitTarget& target,
                 std::span<const Strategy> strategies, std::vector<Sensitivity>& list) {
  const auto before = predict_suite(machine, suite, strategies);
  for (const double change : {-kChange, kChange}) {
    Machine changed = machine;
    double& constant = changed.model.*target.constant;
    constant = std::clamp(constant * (1 + change), target.low, target.high);
    const auto after = predict_suite(changed, suite, strategies);
    for (const Strategy& strategy : strategies) {
      const StrategyMeans old_means = means_of(before, strategy.name);
      const StrategyMeans new_means = means_of(after, strategy.name);
      list.push_back({target.field, change, std::string(strategy.name),
                      new_means.percent - old_means.percent,
                      new_means.speedup - old_means.speedup});
    }
  }
}

}  // namespace

std::span<const FitTarget> paper_targets() {
  static constexpr std::array kTargets{
      FitTarget{"model.beside_kernels", &ModelFacts::beside_kernels, 1, 4, "c3_sp", 42},
      FitTarget{"model.late_share", &ModelFacts::late_share, 0.001, 0.3, "c3_base", 21},
      FitTarget{"model.beside_dma", &ModelFacts::beside_dma, 1, 4, "conccl", 66},
  };
  return kTargets;
}

Machine fit_model(const Machine& machine, const Suite& suite, std::span<const FitTarget> targets) {
  Fitter fitter(machine, suite);
  for (const FitTarget& target : targets) fitter.fit(target);
  for (const FitTarget& target : targets) fitter.check(target);
  return fitter.take();
}

std::vector<Sensitivity> sensitivities(const Machine& machine, const Suite& suite,
                                       std::span<const FitTarget> targets,
                                       std::span<const Strategy> strategies) {
  std::vector<Sensitivity> list;
  for (const FitTarget& target : targets) add_changed(machine, suite, target, strategies, list);
  return list;
}

}  // namespace conccl::c3
