// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/heartbeats.hpp"

#include <algorithm>

namespace conccl::comm {

Heartbeats::Heartbeats(std::span<const Area> areas, std::span<const int> own)
    : areas_(areas), own_(own), last_look_(Clock::now()), seen_(areas.size(), {0, last_look_}) {}

void Heartbeats::beat() {
  for (const int rank : own_) {
    const Area& area = areas_[static_cast<std::size_t>(rank)];
    area.raise(Word::beats, area.value(Word::beats) + 1);
  }
  const std::lock_guard lock(mutex_);
  last_look_ = Clock::now();
  for (std::size_t rank = 0; rank < areas_.size(); ++rank) {
    const std::uint64_t count = areas_[rank].value(Word::beats);
    if (count != seen_[rank].count) seen_[rank] = {count, last_look_};
  }
}

std::vector<Silence> Heartbeats::silent(std::chrono::milliseconds limit) const {
  const std::lock_guard lock(mutex_);
  std::vector<Silence> found;
  const auto now = Clock::now();
  if (now - last_look_ > limit / 2) return found;
  for (int rank = 0; rank < static_cast<int>(areas_.size()); ++rank) {
    const auto since = now - seen_[static_cast<std::size_t>(rank)].at;
    const bool own = std::ranges::find(own_, rank) != own_.end();
    if (own || since < limit) continue;
    found.push_back({rank, std::chrono::duration_cast<std::chrono::milliseconds>(since)});
  }
  return found;
}

}  // namespace conccl::comm
