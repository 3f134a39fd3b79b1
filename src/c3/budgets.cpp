// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "c3/budgets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

using plan::Form;
using plan::Share;

constexpr int kEveryUnitUpTo = 8;

bool is_multiple(int value, int step) { return value % step == 0; }

std::string why_not_split(const Strategy& strategy, const DeviceShape& device, int budget) {
  const int step = device.unit_step;
  if (takes_units(strategy) && !is_multiple(budget, step)) {
    return fmt::format("budget {} is not a multiple of {}", budget, step);
  }
  if (share_without(device, budget)) return {};
  const int left = device.compute_units - budget;
  return fmt::format("budget {} leaves {} compute units: neither is a multiple of {}", budget, left,
                     step);
}

/// Ascending; some may be impossible.
std::vector<int> doubling(const DeviceShape& device) {
  std::vector<int> budgets;
  for (int units = device.unit_step; units < device.compute_units;
       units = device.compute_units <= kEveryUnitUpTo ? units + 1 : units * 2) {
    budgets.push_back(units);
  }
  return budgets;
}

/// What is left is whole steps: each one down to three quarters of the device, then every other.
std::vector<int> leaving_whole_steps(const DeviceShape& device) {
  const int step = device.unit_step;
  const int most = device.compute_units / step * step;
  std::vector<int> budgets;
  for (int left = most; left >= most / 2 && left > 0;
       left -= left > most * 3 / 4 ? step : 2 * step) {
    if (left < device.compute_units) budgets.push_back(device.compute_units - left);
  }
  return budgets;
}

std::vector<int> candidates(const Strategy& strategy, const DeviceShape& device) {
  if (strategy.budget == BudgetKind::comm_units) {
    if (strategy.carrier == Carrier::own) return doubling(device);
    return {kVendorBlocks.begin(), kVendorBlocks.end()};
  }
  if (strategy.budget == BudgetKind::own_block) {
    auto budgets = doubling(device);
    const int most = std::max(device.unit_step, device.compute_units / 4);
    std::erase_if(budgets, [most](int units) { return units > most; });
    return budgets;
  }
  std::vector<int> budgets = device.unit_step > 1 ? leaving_whole_steps(device) : doubling(device);
  budgets.insert(budgets.begin(), 0);
  return budgets;
}

}  // namespace

bool takes_units(const Strategy& strategy) {
  if (strategy.budget == BudgetKind::own_block) return true;
  return strategy.budget == BudgetKind::comm_units && strategy.carrier == Carrier::own;
}

std::optional<Share> share_without(const DeviceShape& device, int given_up) {
  if (given_up == 0) return Share{};
  const int left = device.compute_units - given_up;
  if (given_up < 0 || left < device.fewest_left) return std::nullopt;
  if (is_multiple(given_up, device.unit_step)) return Share{Share::Kind::all_but, given_up};
  if (is_multiple(left, device.unit_step)) return Share{Share::Kind::only, left};
  return std::nullopt;
}

std::string why_not(const Strategy& strategy, const DeviceShape& device, int budget) {
  if (strategy.carrier == Carrier::own && strategy.form == Form::dma && device.dma_engines < 1) {
    return "the device has no DMA engines";
  }
  const int first = takes_units(strategy) ? device.unit_step : 1;
  const bool none_needed =
      strategy.budget == BudgetKind::none || strategy.budget == BudgetKind::gemm_gives;
  const int least = none_needed ? 0 : first;
  const bool any = strategy.budget != BudgetKind::none;
  const int most = any ? device.compute_units - device.fewest_left : 0;
  if (most < least) {
    return fmt::format("splitting needs at least {} compute units, the device has {}",
                       least + device.fewest_left, device.compute_units);
  }
  if (budget < least || budget > most) {
    return fmt::format("budget {} is not in {} .. {}", budget, least, most);
  }
  return why_not_split(strategy, device, budget);
}

std::vector<int> budgets_to_sweep(const Strategy& strategy, const DeviceShape& device) {
  if (strategy.budget == BudgetKind::none) return {0};
  std::vector<int> budgets = candidates(strategy, device);
  std::erase_if(budgets, [&](int budget) { return !why_not(strategy, device, budget).empty(); });
  return budgets;
}

}  // namespace conccl::c3
