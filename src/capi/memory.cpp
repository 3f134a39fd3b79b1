// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "capi/context.hpp"
#include "capi/guard.hpp"

namespace conccl::capi {

void* MemoryTable::add(backend::Memory memory, std::shared_ptr<backend::Device> device) {
  std::byte* const address = memory.at(0);
  const std::lock_guard lock(mutex_);
  entries_[address] = {std::move(device), std::move(memory), {}};
  return address;
}

void MemoryTable::free(void* address) {
  // Ends after the lock is released: unmapping takes its time.
  std::map<const std::byte*, Entry>::node_type freed;
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(static_cast<const std::byte*>(address));
  if (entry == entries_.end()) {
    throw InputError(fmt::format(
        "concclMemFree: {} is not an address that concclMemAlloc gave, or is freed", address));
  }
  for (const auto& weak : entry->second.holders) {
    if (const auto holder = weak.lock()) {
      throw UsageError(
          fmt::format("concclMemFree: {} has {} in it; deregister that first", address, *holder));
    }
  }
  freed = entries_.extract(entry);
}

Pin MemoryTable::pin(const void* address, std::string holder) {
  const auto* wanted = static_cast<const std::byte*>(address);
  const std::lock_guard lock(mutex_);
  auto after = entries_.upper_bound(wanted);
  if (after == entries_.begin()) return {};
  Entry& entry = (--after)->second;
  if (wanted >= entry.memory.at(entry.memory.bytes())) return {};
  std::erase_if(entry.holders, [](const auto& weak) { return weak.expired(); });
  const auto shared = std::make_shared<const std::string>(std::move(holder));
  entry.holders.emplace_back(shared);
  return Pin(shared);
}

MemoryTable& memory_table() {
  static auto* const table = new MemoryTable;
  return *table;
}

}  // namespace conccl::capi

using namespace conccl::capi;

concclResult_t concclMemAlloc(void** ptr, size_t size) {
  return guarded([&] {
    require(ptr, "concclMemAlloc: ptr");
    if (size == 0) {
      *ptr = nullptr;
      return;
    }
    auto device = first_backend().device_of_thread();
    auto memory = device->allocate(size);
    *ptr = memory_table().add(std::move(memory), std::move(device));
  });
}

concclResult_t concclMemFree(void* ptr) {
  return guarded([&] {
    if (ptr != nullptr) memory_table().free(ptr);
  });
}
