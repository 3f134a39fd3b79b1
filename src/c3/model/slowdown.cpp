// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "c3/model/slowdown.hpp"

#include <algorithm>

namespace conccl::c3 {
namespace {

double between(const SlowdownPoint& low, const SlowdownPoint& high, double units) {
  const double share = (units - low.units) / (high.units - low.units);
  return 1 / (low.factor + share * (high.factor - low.factor));
}

double proportional(const SlowdownPoint& to, double units) { return units / to.units / to.factor; }

}  // namespace

double task_speed(const SlowdownTable& table, double units) {
  if (!(units > 0)) return 0;
  if (table.empty()) return 1;
  if (units < table.front().units) return proportional(table.front(), units);
  if (units >= table.back().units) return 1 / table.back().factor;
  const auto above = std::upper_bound(
      table.begin(), table.end(), units,
      [](double value, const SlowdownPoint& point) { return value < point.units; });
  return between(*(above - 1), *above, units);
}

double kernel_speed(const SlowdownTable& table, double units) {
  if (table.empty() || units <= table.back().units) return task_speed(table, units);
  return proportional(table.back(), units);
}

}  // namespace conccl::c3
