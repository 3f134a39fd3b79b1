// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Ring`: numbered posts of all ranks, in a fixed number of slots of each rank's area.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <span>

#include "comm/area.hpp"

namespace conccl::comm {

using Clock = std::chrono::steady_clock;

/// Post n of a rank lies in slot n modulo the number of slots until every rank has taken post n of
/// all ranks. Posts are numbered from 1. One thread per rank posts, awaits and takes.
template <typename Slot, std::uint64_t kSlots>
class Ring {
 public:
  using Member = std::array<Slot, kSlots> AreaLayout::*;

  Ring(std::span<const Area> areas, Member member, Word posted, Word taken)
      : areas_(areas), member_(member), posted_(posted), taken_(taken) {}

  /// The rank whose host is so far behind that the slot of `sequence` is still in use after
  /// `until`; nullopt: the slot is free, or the wait was released by a failure.
  [[nodiscard]] std::optional<int> wait_for_room(std::uint64_t sequence, Clock::time_point until) {
    if (sequence <= kSlots) return std::nullopt;
    const std::uint64_t last = sequence - kSlots;
    if (taken_by_all_.load(std::memory_order_relaxed) >= last) return std::nullopt;
    std::uint64_t least = sequence;
    for (std::size_t rank = 0; rank < areas_.size(); ++rank) {
      if (wait(rank, taken_, last, until) == backend::WaitResult::timed_out) {
        return static_cast<int>(rank);
      }
      least = std::min(least, areas_[rank].value(taken_));
    }
    taken_by_all_.store(least, std::memory_order_relaxed);
    return std::nullopt;
  }

  /// Room for it must have been waited for.
  void publish(int rank, std::uint64_t sequence, const Slot& post) const {
    const auto& area = areas_[static_cast<std::size_t>(rank)];
    ((*area).*member_)[sequence % kSlots] = post;
    area.raise(posted_, sequence);
  }

  [[nodiscard]] std::uint64_t last_of(int rank) const {
    return areas_[static_cast<std::size_t>(rank)].value(posted_);
  }
  [[nodiscard]] backend::WaitResult await(int rank, std::uint64_t sequence,
                                          Clock::time_point until) const {
    return wait(static_cast<std::size_t>(rank), posted_, sequence, until);
  }
  /// Posted, and not yet taken by the asking rank.
  [[nodiscard]] const Slot& at(int rank, std::uint64_t sequence) const {
    return ((*areas_[static_cast<std::size_t>(rank)]).*member_)[sequence % kSlots];
  }
  void take(int rank, std::uint64_t sequence) const {
    areas_[static_cast<std::size_t>(rank)].raise(taken_, sequence);
  }
  [[nodiscard]] bool taken_by_all(std::uint64_t sequence) const {
    return std::all_of(areas_.begin(), areas_.end(),
                       [&](const Area& area) { return area.value(taken_) >= sequence; });
  }
  /// Until all ranks have taken it, `until` has passed, or a failure releases the wait.
  void await_taken(std::uint64_t sequence, Clock::time_point until) const {
    for (std::size_t rank = 0; rank < areas_.size(); ++rank) {
      static_cast<void>(wait(rank, taken_, sequence, until));
    }
  }

 private:
  [[nodiscard]] backend::WaitResult wait(std::size_t rank, Word word, std::uint64_t value,
                                         Clock::time_point until) const {
    const auto limit = std::max(until - Clock::now(), Clock::duration::zero());
    return areas_[rank].words().wait(static_cast<int>(word), value, limit);
  }

  std::span<const Area> areas_;
  Member member_;
  Word posted_;
  Word taken_;
  std::atomic<std::uint64_t> taken_by_all_{0};  ///< at least
};

}  // namespace conccl::comm
