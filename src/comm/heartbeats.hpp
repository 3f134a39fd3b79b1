// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Heartbeats`: tells a process that is stopped from one that waits for others.
#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "comm/area.hpp"
#include "comm/ring.hpp"

namespace conccl::comm {

/// A rank from which no beat has been seen for that long.
struct Silence {
  int rank = 0;
  std::chrono::milliseconds since{};
};

/// Each process raises a counter in its ranks' areas, and looks at those of the others. Any thread
/// may ask.
class Heartbeats {
 public:
  /// `areas` by rank; it must outlive this object. `own` are the ranks of this process.
  Heartbeats(std::span<const Area> areas, std::span<const int> own);

  /// To be called regularly.
  void beat();
  /// Ranks of other processes that have been silent for at least `limit`. Empty when this process
  /// has not looked for half of that itself: it may have been the one that was stopped.
  [[nodiscard]] std::vector<Silence> silent(std::chrono::milliseconds limit) const;

 private:
  struct Seen {
    std::uint64_t count = 0;
    Clock::time_point at;
  };

  std::span<const Area> areas_;
  std::span<const int> own_;
  mutable std::mutex mutex_;
  Clock::time_point last_look_;
  std::vector<Seen> seen_;  ///< by rank
};

}  // namespace conccl::comm
