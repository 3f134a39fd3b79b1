// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/memory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <limits>
#include <utility>

#include "backend/host/sharing.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::host {
namespace {

// Only pages that are touched take memory, so a segment that is hardly used costs little.
constexpr SegmentSizes kDataSegments{16 * kMiB, kMiB};
// Small, as blocks of flags that were shared are used again only when their whole segment is empty:
// a communicator that lives long holds up no more than this.
constexpr SegmentSizes kFlagSegments{64 * kKiB, 32 * kKiB};

constexpr Bytes kLargestObject = std::numeric_limits<std::ptrdiff_t>::max();

RunError not_there(const char* call, std::uint64_t id, Bytes bytes) {
  return RunError(fmt::format("{}: allocation {} of {} bytes, expected one that is not freed", call,
                              id, bytes));
}

}  // namespace

Arena::Arena(Bytes capacity)
    : capacity_(capacity != 0 ? capacity : kLargestObject),
      segments_(std::make_shared<Segments>(kDataSegments)),
      flag_segments_(std::make_shared<Segments>(kFlagSegments)),
      index_(AllocationIndex::of_process()),
      process_(getpid()) {}

Memory Arena::allocate(Bytes bytes) { return allocate_from(segments_, bytes); }

Memory Arena::allocate_for_flags(Bytes bytes) { return allocate_from(flag_segments_, bytes); }

Memory Arena::allocate_from(const std::shared_ptr<Segments>& segments, Bytes bytes) {
  // Parent and child would both give out the same bytes of the segments they share.
  if (getpid() != process_) {
    throw RunError(
        fmt::format("allocate: {} bytes in process {}, which was forked from the one that "
                    "opened the device ({}); exec, or open it after the fork",
                    bytes, getpid(), process_));
  }
  if (bytes > capacity_) {
    throw RunError(fmt::format("allocate: {} bytes, expected at most {}", bytes, capacity_));
  }
  const Block block = segments->take(bytes);
  // Moved out when it runs: whoever still watches the allocation keeps this function, not the
  // block.
  auto release = [index = index_, segments, taken = block](void* base) mutable {
    index->remove(base);
    segments->give_back(std::exchange(taken, {}));
  };
  std::shared_ptr<void> memory(block.data(), std::move(release));
  index_->add(memory, bytes, block);
  return {std::move(memory), bytes};
}

std::optional<Allocation> Arena::allocation_of(const void* address) const {
  const auto entry = index_->at(address);
  if (!entry) return std::nullopt;
  return entry->allocation;
}

Shareable Arena::share(const Allocation& allocation) const {
  const auto alive = allocation.memory.lock();
  const auto entry = index_->find(allocation.id);
  if (!alive || !entry) throw not_there("share", allocation.id, allocation.bytes);
  entry->block.segment->note_shared(entry->block.offset);
  return shareable(*entry);
}

Memory Arena::map(Shareable shareable) const {
  if (shareable.owner != this_process()) return Imports::of_process().map(std::move(shareable));
  const auto entry = index_->find(shareable.allocation);
  auto memory = entry ? entry->allocation.memory.lock() : nullptr;
  if (!memory) throw not_there("map", shareable.allocation, shareable.bytes);
  return {std::move(memory), entry->allocation.bytes};
}

}  // namespace conccl::backend::host
