// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Where, by the model, the points between a strategy and the ideal go.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conccl/c3/model/predict.hpp"

namespace conccl::c3 {

/// In the order in which they are switched off, one after the other: what is left of one's effect
/// once the ones before it are gone. Names are those of a measured attribution
/// (conccl/bench/attribution.hpp) where both know a cause; "interference" is what the model's
/// factors hold and measurement splits into clock and memory.
inline constexpr std::array<std::string_view, 6> kLossCauses{
    "interference", "clock", "fewer units", "late launch", "cache and fabric", "memory"};

/// Of scenarios of one collective and class under one strategy, means in points of the percent of
/// ideal, with the vendor's collective; scenarios with an ideal below kLeastIdeal left out.
struct ClassLosses {
  plan::Collective collective = plan::Collective::all_gather;
  Balance balance = Balance::gc_equal;
  int scenarios = 0;
  double percent = 0;
  std::array<double, kLossCauses.size()> points{};
  double rest = 0;  ///< up to 100: links, engines, the order of launches
};

/// By collective, then class; classes without scenarios are left out. Budgets are those of the
/// machine as it is. Throws as `predict_suite`.
[[nodiscard]] std::vector<ClassLosses> losses_by_class(const Machine& machine, const Suite& suite,
                                                       const Strategy& strategy);

/// A line each.
[[nodiscard]] std::string to_text(std::span<const ClassLosses> losses);

}  // namespace conccl::c3
