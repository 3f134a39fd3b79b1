// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The lanes of all ranks of a plan in one list, and names for places in a plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "conccl/plan/plan.hpp"

namespace conccl::plan {

inline constexpr std::uint32_t kNone = 0xffff'ffffU;

/// A step; `lane` counts over all ranks. `lane == kNone` is no step at all.
struct Event {
  std::uint32_t lane = kNone;
  std::uint32_t step = 0;

  friend bool operator==(const Event&, const Event&) = default;
};

/// [begin, end) of one buffer of one rank.
struct Range {
  int rank = 0;
  BufferKind buffer = BufferKind::recv;
  Bytes begin = 0;
  Bytes end = 0;
};

[[nodiscard]] inline Range range_of(const Ref& ref, Bytes bytes) {
  return {ref.rank, ref.buffer, ref.offset, ref.offset + bytes};
}

/// Buffers of all ranks in one sequence.
inline constexpr std::size_t kBufferKinds = 3;

[[nodiscard]] inline std::size_t buffer_index(int rank, BufferKind buffer) {
  return static_cast<std::size_t>(rank) * kBufferKinds + static_cast<std::size_t>(buffer);
}

/// Refers to the plan, which must outlive it.
class LaneTable {
 public:
  explicit LaneTable(const Plan& plan);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
  [[nodiscard]] int rank(std::uint32_t lane) const { return entries_[lane].rank; }
  /// The lane's index within its rank.
  [[nodiscard]] int index(std::uint32_t lane) const {
    return static_cast<int>(lane - first_[static_cast<std::size_t>(rank(lane))]);
  }
  [[nodiscard]] const std::vector<Step>& steps(std::uint32_t lane) const {
    return *entries_[lane].steps;
  }
  [[nodiscard]] const Step& step(Event event) const { return steps(event.lane)[event.step]; }
  /// Lanes of `rank` are first_of(rank) .. first_of(rank + 1) - 1.
  [[nodiscard]] std::uint32_t first_of(int rank) const {
    return first_[static_cast<std::size_t>(rank)];
  }

 private:
  struct Entry {
    const std::vector<Step>* steps;
    int rank;
  };
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> first_;
};

}  // namespace conccl::plan
