// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Fitting the few constants of a machine's model that no source gives, and what hangs on them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conccl/c3/model/predict.hpp"

namespace conccl::c3 {

/// One constant for one aggregate: a strategy's mean percent of ideal over a suite.
struct FitTarget {
  std::string_view field;  ///< in `Machine::sources`
  double ModelFacts::* constant = nullptr;
  double low = 0;  ///< between these the percent rises or falls throughout
  double high = 0;
  std::string_view strategy;
  double percent = 0;
};

/// What the ConCCL paper reports on 8x MI300X: 42 under c3_sp, 21 under c3_base, 66 under ConCCL.
/// In this order each target moves no earlier one.
[[nodiscard]] std::span<const FitTarget> paper_targets();

/// The machine with each constant so that its target is met, rounded to four digits, and with the
/// target as its source. Deterministic. Throws InputError when a target cannot be reached between
/// its bounds, or when a later target moved an earlier one.
[[nodiscard]] Machine fit_model(const Machine& machine, const Suite& suite,
                                std::span<const FitTarget> targets);

/// What a change of one constant does to a strategy's means.
struct Sensitivity {
  std::string_view field;
  double change = 0;  ///< -0.1: the constant is a tenth lower
  std::string strategy;
  double percent = 0;  ///< points by which the mean percent of ideal changes
  double speedup = 0;  ///< by how much the mean speedup changes
};

/// For every target's constant a tenth lower and a tenth higher, every strategy of `strategies`. A
/// constant that cannot be so low keeps its least value.
[[nodiscard]] std::vector<Sensitivity> sensitivities(const Machine& machine, const Suite& suite,
                                                     std::span<const FitTarget> targets,
                                                     std::span<const Strategy> strategies);

}  // namespace conccl::c3
