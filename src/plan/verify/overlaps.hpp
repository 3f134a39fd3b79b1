// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Conflicting accesses of one buffer, enough of them to prove all ordered.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "plan/verify/budget.hpp"
#include "plan/verify/lanes.hpp"

namespace conccl::plan {

/// [begin, begin + bytes) read or written by a copy.
struct Access {
  enum class Kind : std::uint8_t { read, write };

  Bytes begin = 0;
  Bytes bytes : 63 = 0;
  Bytes is_write : 1 = 0;
  Event copy;

  Access() = default;
  Access(Bytes from, Bytes size, Event event, Kind kind)
      : begin(from),
        bytes(size & ((Bytes{1} << 63U) - 1)),
        is_write(kind == Kind::write ? 1U : 0U),
        copy(event) {}

  [[nodiscard]] Bytes end() const { return begin + bytes; }
  [[nodiscard]] Event event() const { return copy; }
};

/// Reports, per byte, each read with the last write before it, and each write with the reads since
/// the last write, or with that write when there are none. If each of these pairs is ordered then
/// so are all conflicting ones, by transitivity; pairs that are merely implied are not enumerated.
class OverlapSweep {
 public:
  using Pair = std::function<void(const Access& earlier, const Access& later)>;

  explicit OverlapSweep(Budget& budget) : budget_(budget) {}

  /// `accesses` in an order that respects the plan's. Stops early when the budget is exhausted.
  void run(std::span<const Access> accesses, const Pair& pair);

 private:
  /// Bytes between two neighbouring edges of writes.
  struct Segment {
    std::uint32_t writer = kNone;
    std::vector<std::uint32_t> readers;
  };

  void sort_by_begin(std::span<const Access> accesses);
  void check_cluster(std::span<const Access> accesses, std::span<std::uint32_t> members);
  void find_edges(std::span<const Access> accesses, std::span<const std::uint32_t> members);
  void visit(std::span<const Access> accesses, std::uint32_t index);

  Budget& budget_;
  const Pair* pair_ = nullptr;
  std::vector<std::uint32_t> sorted_;
  std::vector<Bytes> edges_;
  std::vector<Segment> segments_;
};

}  // namespace conccl::plan
