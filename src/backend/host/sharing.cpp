// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/sharing.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "conccl/core/errors.hpp"

namespace conccl::backend::host {
namespace {

constexpr Bytes kCacheLine = 64;

/// What `Shareable::data` holds, in this order, little-endian.
struct Place {
  std::uint64_t segment = 0;
  std::uint64_t segment_bytes = 0;
  std::uint64_t offset = 0;
};
static_assert(sizeof(Place) == 24 && sizeof(Place) <= Shareable::kMaxData);
static_assert(std::endian::native == std::endian::little, "a Place is written as it lies");

Place place_in(const Shareable& shareable) {
  if (shareable.data.size() != sizeof(Place)) {
    throw RunError(fmt::format("map: {} bytes of description, expected {}", shareable.data.size(),
                               sizeof(Place)));
  }
  Place place;
  std::memcpy(&place, shareable.data.data(), sizeof(place));
  return place;
}

void check(const Shareable& shareable, const Place& place) {
  if (shareable.descriptors.size() != 1 || !shareable.descriptors.front()) {
    throw RunError(fmt::format("map: {} descriptors came with the allocation, expected one",
                               shareable.descriptors.size()));
  }
  if (place.offset > place.segment_bytes || shareable.bytes > place.segment_bytes - place.offset ||
      place.segment_bytes == 0) {
    throw RunError(fmt::format("map: {} bytes at {}, expected to lie in a segment of {} bytes",
                               shareable.bytes, place.offset, place.segment_bytes));
  }
  if (place.offset % kCacheLine != 0) {
    throw RunError(
        fmt::format("map: offset {}, expected a multiple of {}", place.offset, kCacheLine));
  }
}

}  // namespace

Shareable shareable(const AllocationIndex::Entry& entry) {
  const Segment& segment = *entry.block.segment;
  const Place place{segment.id(), segment.memory().bytes(), entry.block.offset};
  Shareable result;
  result.owner = this_process();
  result.allocation = entry.allocation.id;
  result.bytes = entry.allocation.bytes;
  result.data.resize(sizeof(place));
  std::memcpy(result.data.data(), &place, sizeof(place));
  result.descriptors.push_back(segment.memory().descriptor().duplicate());
  return result;
}

Imports& Imports::of_process() {
  static Imports instance;
  return instance;
}

Memory Imports::map(Shareable shareable) {
  const Place place = place_in(shareable);
  check(shareable, place);
  auto mapped = segment({shareable.owner, place.segment}, std::move(shareable.descriptors.front()),
                        place.segment_bytes);
  std::byte* data = mapped->data() + place.offset;
  return {std::shared_ptr<void>(std::move(mapped), data), shareable.bytes};
}

std::shared_ptr<SharedSegment> Imports::segment(const Key& key, FileDescriptor descriptor,
                                                Bytes bytes) {
  const std::lock_guard lock(mutex_);
  std::erase_if(segments_, [](const auto& each) { return each.second.expired(); });
  if (const auto found = segments_.find(key); found != segments_.end()) {
    if (auto mapped = found->second.lock()) {
      if (mapped->bytes() == bytes) return mapped;
      throw RunError(fmt::format("map: a segment of {} bytes, expected the {} it is mapped with",
                                 bytes, mapped->bytes()));
    }
  }
  auto mapped = std::make_shared<SharedSegment>(SharedSegment::map(std::move(descriptor), bytes));
  segments_[key] = mapped;
  return mapped;
}

}  // namespace conccl::backend::host
