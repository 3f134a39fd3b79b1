// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/index.hpp"

#include <array>
#include <utility>

#include "backend/cuda/address.hpp"

namespace conccl::backend::cuda {
namespace {

/// What the driver tells of an address.
struct PointerFacts {
  unsigned kind = 0;  ///< a CUmemorytype; 0: not the driver's
  unsigned managed = 0;
  unsigned long long buffer = 0;
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  int gpu = 0;
  CUmemoryPool pool = nullptr;
  unsigned ipc = 0;
};

PointerFacts pointer_facts(CUdeviceptr address) {
  PointerFacts facts;
  std::array names{
      CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_IS_MANAGED,
      CU_POINTER_ATTRIBUTE_BUFFER_ID,      CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
      CU_POINTER_ATTRIBUTE_RANGE_SIZE,     CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
      CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE};
  std::array<void*, names.size()> values{&facts.kind,
                                         &facts.managed,
                                         &facts.buffer,
                                         &facts.base,
                                         &facts.bytes,
                                         &facts.gpu,
                                         static_cast<void*>(&facts.pool),
                                         &facts.ipc};
  const CUresult result = driver().cuPointerGetAttributes(static_cast<unsigned>(names.size()),
                                                          names.data(), values.data(), address);
  if (result == CUDA_ERROR_INVALID_VALUE) return {};
  check(result, {"cuPointerGetAttributes"});
  return facts;
}

AllocationIndex::Maker maker_of(const PointerFacts& facts) {
  if (facts.pool != nullptr) return AllocationIndex::Maker::pool;
  if (facts.ipc != 0) return AllocationIndex::Maker::cuda_malloc;
  return AllocationIndex::Maker::virtual_memory;
}

}  // namespace

AllocationIndex& AllocationIndex::of_process() {
  static AllocationIndex instance;
  return instance;
}

void AllocationIndex::add(const std::shared_ptr<void>& memory, Bytes bytes, Entry entry) {
  const std::lock_guard lock(mutex_);
  entry.allocation = {++last_id_, static_cast<std::byte*>(memory.get()), bytes, memory};
  known_[number_of(memory.get())] = {std::move(entry)};
}

void AllocationIndex::add_foreign(const void* base, Bytes mapped) {
  const std::lock_guard lock(mutex_);
  known_[number_of(base)] = {{{}, Maker::backend, 0, mapped, nullptr}};
}

void AllocationIndex::remove(const void* base) {
  const std::lock_guard lock(mutex_);
  known_.erase(number_of(base));
}

std::optional<AllocationIndex::Entry> AllocationIndex::at(const void* address) {
  const std::lock_guard lock(mutex_);
  const std::uintptr_t place = number_of(address);
  auto next = known_.upper_bound(place);
  if (next != known_.begin()) {
    const auto& [base, found] = *std::prev(next);
    const Bytes distance = place - base;
    if (distance < found.entry.mapped) {
      const bool inside = distance < found.entry.allocation.bytes;
      return inside ? std::optional(found.entry) : std::nullopt;
    }
  }
  return ask(place);
}

std::optional<AllocationIndex::Entry> AllocationIndex::ask(CUdeviceptr address) {
  const PointerFacts facts = pointer_facts(address);
  if (facts.kind != CU_MEMORYTYPE_DEVICE || facts.managed != 0 || facts.bytes == 0) {
    return std::nullopt;
  }
  Asked& asked = asked_[facts.base];
  if (asked.alive && asked.buffer == facts.buffer && asked.entry.mapped == facts.bytes) {
    return asked.entry;
  }
  auto* base = static_cast<std::byte*>(pointer_of(facts.base));
  asked.buffer = facts.buffer;
  asked.alive = std::shared_ptr<void>(base, [](void*) {});
  asked.entry = {{++last_id_, base, facts.bytes, asked.alive},
                 maker_of(facts),
                 facts.gpu,
                 facts.bytes,
                 nullptr};
  return asked.entry;
}

std::optional<AllocationIndex::Entry> AllocationIndex::find(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  for (const auto& [base, found] : known_) {
    if (id != 0 && found.entry.allocation.id == id) return found.entry;
  }
  for (const auto& [base, asked] : asked_) {
    if (asked.entry.allocation.id != id) continue;
    auto now = ask(base);
    if (now && now->allocation.id == id) return now;
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace conccl::backend::cuda
