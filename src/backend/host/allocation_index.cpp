// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/allocation_index.hpp"

#include <utility>

namespace conccl::backend::host {

std::shared_ptr<AllocationIndex> AllocationIndex::of_process() {
  static const auto instance = std::make_shared<AllocationIndex>();
  return instance;
}

void AllocationIndex::add(const std::shared_ptr<void>& memory, Bytes bytes, const Block& block) {
  auto* base = static_cast<std::byte*>(memory.get());
  const std::lock_guard lock(mutex_);
  const std::uint64_t id = ++last_id_;
  by_base_.emplace(base, Entry{{id, base, bytes, memory}, block});
  base_of_.emplace(id, base);
}

void AllocationIndex::remove(const void* base) {
  const std::lock_guard lock(mutex_);
  const auto found = by_base_.find(static_cast<const std::byte*>(base));
  if (found == by_base_.end()) return;
  base_of_.erase(found->second.allocation.id);
  by_base_.erase(found);
}

std::optional<AllocationIndex::Entry> AllocationIndex::at(const void* address) const {
  const auto* wanted = static_cast<const std::byte*>(address);
  const std::lock_guard lock(mutex_);
  auto after = by_base_.upper_bound(wanted);
  if (after == by_base_.begin()) return std::nullopt;
  const auto& [base, entry] = *--after;
  const auto distance = static_cast<Bytes>(wanted - base);
  if (distance != 0 && distance >= entry.allocation.bytes) return std::nullopt;
  return entry;
}

std::optional<AllocationIndex::Entry> AllocationIndex::find(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = base_of_.find(id);
  if (found == base_of_.end()) return std::nullopt;
  return by_base_.at(found->second);
}

}  // namespace conccl::backend::host
