// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/verify/flags.hpp"

#include <algorithm>
#include <variant>

namespace conccl::plan {
namespace {

std::uint64_t key_of(int rank, int flag) {
  return (std::uint64_t{static_cast<std::uint32_t>(rank)} << 32U) |
         static_cast<std::uint32_t>(flag);
}

std::vector<std::uint64_t> raised_keys(const LaneTable& lanes) {
  std::vector<std::uint64_t> keys;
  for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
    for (const auto& step : lanes.steps(lane)) {
      if (const auto* signal = std::get_if<Signal>(&step)) {
        keys.push_back(key_of(signal->rank, signal->flag));
      }
    }
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace

FlagTable::FlagTable(const Plan& plan, const LaneTable& lanes)
    : flags_(static_cast<std::size_t>(plan.flags)) {
  const std::size_t all = flags_ * plan.ranks.size();
  const bool is_sparse = all > 4 * step_count(plan) + 1024;
  if (is_sparse) {
    keys_ = raised_keys(lanes);
    // Any key will do: an empty list means "dense".
    if (keys_.empty()) keys_.push_back(key_of(0, 0));
  }
  raisers_.resize(is_sparse ? keys_.size() : all);
  waited_.resize(raisers_.size());
}

std::size_t FlagTable::find(int rank, int flag) const {
  const auto key = key_of(rank, flag);
  const auto found = std::lower_bound(keys_.begin(), keys_.end(), key);
  if (found == keys_.end() || *found != key) return kNoSlot;
  return static_cast<std::size_t>(found - keys_.begin());
}

Event FlagTable::raise(const Signal& signal, Event event) {
  Event& raiser = raisers_[slot(signal.rank, signal.flag)];
  if (raiser.lane != kNone) return raiser;
  raiser = event;
  return {};
}

void FlagTable::await(int rank, int flag) {
  if (const auto index = slot(rank, flag); index != kNoSlot) waited_[index] = 1;
}

}  // namespace conccl::plan
