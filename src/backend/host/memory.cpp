// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>

#include "conccl/core/errors.hpp"

namespace conccl::backend::host {
namespace {

constexpr Bytes kCacheLine = 64;
constexpr Bytes kPage = 4 * kKiB;
constexpr Bytes kLargestObject = std::numeric_limits<std::ptrdiff_t>::max();

[[nodiscard]] Bytes rounded_up(Bytes bytes, Bytes unit) { return (bytes + unit - 1) / unit * unit; }

void* aligned(Bytes bytes) {
  const Bytes alignment = bytes < kPage ? kCacheLine : kPage;
  return std::aligned_alloc(alignment, rounded_up(std::max<Bytes>(bytes, 1), alignment));
}

}  // namespace

Arena::Arena(Bytes capacity)
    : capacity_(capacity != 0 ? capacity : kLargestObject), index_(std::make_shared<Index>()) {}

Memory Arena::allocate(Bytes bytes) {
  if (bytes > capacity_) {
    throw RunError(fmt::format("allocate: {} bytes, expected at most {}", bytes, capacity_));
  }
  void* data = aligned(bytes);
  if (data == nullptr) throw RunError(fmt::format("allocate: no memory for {} bytes", bytes));
  const auto release = [index = index_](void* memory) {
    {
      const std::lock_guard lock(index->mutex);
      index->allocations.erase(static_cast<const std::byte*>(memory));
    }
    std::free(memory);
  };
  std::shared_ptr<void> owner(data, release);
  const std::lock_guard lock(index_->mutex);
  index_->allocations.emplace(static_cast<const std::byte*>(data), bytes);
  return {std::move(owner), bytes};
}

std::optional<Bytes> Arena::bytes_behind(const void* address) const {
  const auto* wanted = static_cast<const std::byte*>(address);
  const std::lock_guard lock(index_->mutex);
  auto after = index_->allocations.upper_bound(wanted);
  if (after == index_->allocations.begin()) return std::nullopt;
  const auto& [begin, bytes] = *--after;
  const auto distance = static_cast<Bytes>(wanted - begin);
  if (distance > bytes || (distance == bytes && bytes != 0)) return std::nullopt;
  return bytes - distance;
}

}  // namespace conccl::backend::host
