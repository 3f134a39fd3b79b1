// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "c3/model/fair_share.hpp"

#include <algorithm>

namespace conccl::c3 {
namespace {

// Rates this close are equal: they were computed in another order.
constexpr double kRelative = 1e-12;

bool reaches(double level, double mark) { return mark <= level * (1 + kRelative); }

}  // namespace

FairShare::FairShare(int resources)
    : free_(static_cast<std::size_t>(resources), 1.0),
      weight_(static_cast<std::size_t>(resources), 0.0) {}

void FairShare::start(std::span<const Claimant> claimants) {
  for (const int resource : touched_) {
    free_[static_cast<std::size_t>(resource)] = 1;
    weight_[static_cast<std::size_t>(resource)] = 0;
  }
  touched_.clear();
  rising_.clear();
  rates_.assign(claimants.size(), 0);
  for (std::size_t i = 0; i < claimants.size(); ++i) {
    if (!(claimants[i].limit > 0)) continue;
    rising_.push_back(i);
    for (const Use& use : claimants[i].uses) {
      double& weight = weight_[static_cast<std::size_t>(use.resource)];
      if (weight == 0) touched_.push_back(use.resource);
      weight += use.share * claimants[i].scale;
    }
  }
}

double FairShare::next_level(std::span<const Claimant> claimants) const {
  double level = claimants[rising_.front()].limit;
  for (const std::size_t i : rising_) level = std::min(level, claimants[i].limit);
  for (const int resource : touched_) {
    const auto at = static_cast<std::size_t>(resource);
    if (weight_[at] > kRelative) level = std::min(level, std::max(0.0, free_[at]) / weight_[at]);
  }
  return level;
}

bool FairShare::is_held(const Claimant& claimant, double level) const {
  if (reaches(level, claimant.limit)) return true;
  return std::any_of(claimant.uses.begin(), claimant.uses.end(), [&](const Use& use) {
    const auto at = static_cast<std::size_t>(use.resource);
    return use.share > 0 && weight_[at] > kRelative && reaches(level, free_[at] / weight_[at]);
  });
}

void FairShare::freeze(std::span<const Claimant> claimants, double level) {
  const auto held = std::stable_partition(
      rising_.begin(), rising_.end(), [&](std::size_t i) { return !is_held(claimants[i], level); });
  for (auto entry = held; entry != rising_.end(); ++entry) {
    rates_[*entry] = level;
    for (const Use& use : claimants[*entry].uses) {
      const auto at = static_cast<std::size_t>(use.resource);
      const double share = use.share * claimants[*entry].scale;
      weight_[at] -= share;
      free_[at] -= share * level;
    }
  }
  rising_.erase(held, rising_.end());
}

const std::vector<double>& FairShare::rates(std::span<const Claimant> claimants) {
  start(claimants);
  while (!rising_.empty()) freeze(claimants, next_level(claimants));
  return rates_;
}

}  // namespace conccl::c3
