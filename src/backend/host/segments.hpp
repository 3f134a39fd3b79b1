// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Segments`: cuts shared segments into blocks, so that small allocations need no file each.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <set>

#include "backend/host/free_ranges.hpp"
#include "conccl/core/shared_segment.hpp"

namespace conccl::backend::host {

/// A shared segment of this process and its number, by which others know that they have it.
class Segment {
 public:
  explicit Segment(Bytes bytes);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] const SharedSegment& memory() const { return memory_; }

  /// Other processes get to know of the block at `offset` / whether they did. Any thread.
  void note_shared(Bytes offset);
  [[nodiscard]] bool was_shared(Bytes offset) const;

 private:
  std::uint64_t id_;
  SharedSegment memory_;
  mutable std::mutex mutex_;
  std::set<Bytes> shared_;
};

/// A stretch of a segment, in use.
struct Block {
  std::shared_ptr<Segment> segment;
  Bytes offset = 0;
  Bytes taken = 0;  ///< 0: the segment is this block's alone

  [[nodiscard]] std::byte* data() const { return segment->memory().data() + offset; }
};

/// How segments are cut.
struct SegmentSizes {
  Bytes shared = 0;    ///< of a segment that several blocks share
  Bytes own_from = 0;  ///< from here on a block has a segment of its own
};

/// Any thread may call it. Blocks may outlive it.
class Segments {
 public:
  explicit Segments(const SegmentSizes& sizes) : sizes_(sizes) {}

  /// At least `bytes`, aligned to a cache line, from one page on to a page. Throws RunError.
  [[nodiscard]] Block take(Bytes bytes);
  /// A segment that holds nothing any more is released. Until then a block that was shared is not
  /// used again: other processes may still write to it.
  void give_back(const Block& block);

 private:
  struct Shared {
    std::shared_ptr<Segment> segment;
    FreeRanges free;
    std::size_t in_use = 0;  ///< blocks
  };

  [[nodiscard]] Block take_shared(Bytes bytes);

  SegmentSizes sizes_;
  std::mutex mutex_;
  std::list<Shared> shared_;
};

}  // namespace conccl::backend::host
