// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/segments.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "backend/host/red_zones.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::host {
namespace {

constexpr Bytes kCacheLine = 64;
constexpr Bytes kPage = 4 * kKiB;

[[nodiscard]] Bytes rounded_up(Bytes bytes, Bytes unit) { return (bytes + unit - 1) / unit * unit; }

std::uint64_t next_segment_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

Segment::Segment(Bytes bytes)
    : id_(next_segment_id()), memory_(SharedSegment::create("conccl-device", bytes)) {
  forbid(memory_.data(), memory_.bytes());
}

Segment::~Segment() { permit(memory_.data(), memory_.bytes()); }

void Segment::note_shared(Bytes offset) {
  const std::lock_guard lock(mutex_);
  shared_.insert(offset);
}

bool Segment::was_shared(Bytes offset) const {
  const std::lock_guard lock(mutex_);
  return shared_.contains(offset);
}

Block Segments::take(Bytes bytes) {
  Block block = bytes < sizes_.own_from
                    ? take_shared(bytes)
                    : Block{std::make_shared<Segment>(rounded_up(bytes + kRedZone, kPage)), 0, 0};
  permit(block.data(), bytes);
  return block;
}

Block Segments::take_shared(Bytes bytes) {
  const Bytes alignment = bytes < kPage ? kCacheLine : kPage;
  const Bytes taken = rounded_up(std::max<Bytes>(bytes, 1), kCacheLine) + kRedZone;
  const std::lock_guard lock(mutex_);
  for (Shared& each : shared_) {
    if (const auto offset = each.free.take(taken, alignment)) {
      ++each.in_use;
      return {each.segment, *offset, taken};
    }
  }
  Shared& fresh = shared_.emplace_back(
      Shared{std::make_shared<Segment>(sizes_.shared), FreeRanges(sizes_.shared), 1});
  return {fresh.segment, fresh.free.take(taken, alignment).value(), taken};
}

void Segments::give_back(const Block& block) {
  if (block.taken == 0) return;
  forbid(block.data(), block.taken);
  const std::lock_guard lock(mutex_);
  const auto home = std::ranges::find(shared_, block.segment, &Shared::segment);
  ensure(home != shared_.end(), "a block is given back where it was taken");
  if (!block.segment->was_shared(block.offset)) home->free.give_back(block.offset, block.taken);
  if (--home->in_use == 0) shared_.erase(home);
}

}  // namespace conccl::backend::host
