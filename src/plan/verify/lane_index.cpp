// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/verify/lane_index.hpp"

#include <algorithm>
#include <tuple>

namespace conccl::plan {

LaneIndex::LaneIndex(const Structure& structure, std::uint32_t lane) {
  const int rank = structure.lanes.rank(lane);
  std::uint32_t position = 0;
  for (const auto& step : structure.lanes.steps(lane)) {
    if (!std::holds_alternative<Copy>(step)) fences_.push_back(position);
    if (const auto* wait = std::get_if<Wait>(&step)) {
      const Event raiser = structure.flags.raiser(rank, wait->flag);
      hops_.push_back({raiser.lane, position, raiser.step});
    }
    ++position;
  }
  accumulate();
}

void LaneIndex::accumulate() {
  std::sort(hops_.begin(), hops_.end(), [](const Hop& a, const Hop& b) {
    return std::tie(a.from, a.wait) < std::tie(b.from, b.wait);
  });
  for (std::size_t index = 1; index < hops_.size(); ++index) {
    const Hop& before = hops_[index - 1];
    Hop& hop = hops_[index];
    if (hop.from == before.from) hop.signal = std::max(hop.signal, before.signal);
  }
}

std::uint32_t LaneIndex::ordered_below(std::uint32_t step) const {
  const auto after = std::lower_bound(fences_.begin(), fences_.end(), step);
  return after == fences_.begin() ? 0 : *(after - 1) + 1;
}

bool LaneIndex::one_flag_after(Event earlier, std::uint32_t step) const {
  const auto after = std::lower_bound(
      hops_.begin(), hops_.end(), std::tie(earlier.lane, step),
      [](const Hop& hop, const auto& key) { return std::tie(hop.from, hop.wait) < key; });
  if (after == hops_.begin()) return false;
  const Hop& last = *(after - 1);
  return last.from == earlier.lane && last.signal > earlier.step;
}

}  // namespace conccl::plan
