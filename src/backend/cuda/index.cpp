// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/index.hpp"

#include <algorithm>
#include <utility>

#include "backend/cuda/address.hpp"
#include "backend/cuda/mapping.hpp"
#include "backend/cuda/pointer_facts.hpp"

namespace conccl::backend::cuda {
namespace {

using Maker = AllocationIndex::Maker;

Maker maker_of(const PointerFacts& facts) {
  if (facts.pool != nullptr) return Maker::pool;
  return facts.ipc != 0 ? Maker::cuda_malloc : Maker::virtual_memory;
}

/// Expires with the last owner of what is returned; holds no memory.
std::shared_ptr<void> sign_of_life(std::byte* base) {
  return {base, [](void*) {}};
}

/// Of addresses that were reserved, only those of the one physical allocation behind `address`;
/// no bytes where there is none.
void narrow(PointerFacts& facts, CUdeviceptr address) {
  const auto result = driver().cuMemGetAddressRange(&facts.base, &facts.bytes, address);
  if (result == CUDA_ERROR_NOT_FOUND || result == CUDA_ERROR_INVALID_VALUE) {
    facts.bytes = 0;
  } else {
    check(result, {"cuMemGetAddressRange", facts.gpu});
  }
}

/// An allocation as it is now; no bytes: nothing that has a place of its own on a GPU.
struct Found {
  PointerFacts facts;
  std::uint64_t handle = 0;
  bool exportable = false;

  template <typename Asked>
  friend bool operator==(const Found& now, const Asked& then) {
    return now.facts.buffer == then.buffer && now.facts.bytes == then.entry.mapped &&
           now.handle == then.handle;
  }
};

Found find_allocation(CUdeviceptr address) {
  Found found{pointer_facts(address), 0, false};
  if (found.facts.kind != CU_MEMORYTYPE_DEVICE || found.facts.managed != 0) return {};
  if (found.facts.bytes == 0 || maker_of(found.facts) != Maker::virtual_memory) return found;
  narrow(found.facts, address);
  if (const auto physical = PhysicalMemory::at(address); physical && found.facts.bytes != 0) {
    found.handle = physical->get();
    found.exportable = physical->exportable();
  }
  return found;
}

std::uintptr_t end_of(const AllocationIndex::Entry& entry) {
  return number_of(entry.allocation.base) + entry.allocation.bytes;
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
  Known& added = known_[number_of(base)] = {};
  added.entry.mapped = mapped;
}

void AllocationIndex::remove(const void* base) {
  const std::lock_guard lock(mutex_);
  known_.erase(number_of(base));
}

const AllocationIndex::Known* AllocationIndex::known_at(std::uintptr_t address) const {
  const auto next = known_.upper_bound(address);
  if (next == known_.begin()) return nullptr;
  const auto& [base, found] = *std::prev(next);
  return address - base < found.entry.mapped ? &found : nullptr;
}

bool AllocationIndex::foreign(const void* address) {
  const std::lock_guard lock(mutex_);
  const Known* known = known_at(number_of(address));
  return known != nullptr && known->entry.allocation.id == 0;
}

std::optional<AllocationIndex::Entry> AllocationIndex::at(const void* address, CUcontext context) {
  return over(address, 0, context);
}

bool AllocationIndex::holds(const void* address, std::uint64_t id, CUcontext context) {
  {
    const std::lock_guard lock(mutex_);
    const Known* known = known_at(number_of(address));
    if (known != nullptr) return id != 0 && known->entry.allocation.id == id;
    const Entry* same = unchanged_at(number_of(address));
    if (same != nullptr) return same->allocation.id == id;
  }
  const auto entry = at(address, context);
  return entry && entry->allocation.id == id;
}

std::optional<AllocationIndex::Entry> AllocationIndex::over(const void* address, Bytes bytes,
                                                            CUcontext context) {
  const std::lock_guard lock(mutex_);
  const std::uintptr_t place = number_of(address);
  if (const Known* known = known_at(place)) {
    const Allocation& own = known->entry.allocation;
    if (own.id == 0 || place - number_of(own.base) >= own.bytes) return std::nullopt;
    return known->entry;
  }
  const Entry* same = unchanged_at(place);
  if (same != nullptr) return *same;
  const ContextScope scope(context);
  auto first = ask(place);
  const bool whole = !first || bytes <= end_of(*first) - place;
  if (whole || first->maker != Maker::virtual_memory) return first;
  return join(*first, place + bytes);
}

const AllocationIndex::Entry* AllocationIndex::unchanged_at(std::uintptr_t address) const {
  const auto next = asked_.upper_bound(address);
  if (next == asked_.begin()) return nullptr;
  const auto& [base, found] = *std::prev(next);
  // Of mapped memory the id may be that of the addresses.
  const bool mapped = found.entry.maker == Maker::virtual_memory;
  if (mapped || address - base >= found.entry.mapped) return nullptr;
  return found.buffer != 0 && buffer_at(address) == found.buffer ? &found.entry : nullptr;
}

std::optional<AllocationIndex::Entry> AllocationIndex::ask(std::uintptr_t address) {
  const Found found = find_allocation(address);
  if (found.facts.bytes == 0) return std::nullopt;
  const auto same = asked_.find(found.facts.base);
  if (same != asked_.end() && found == same->second) return same->second.entry;
  forget_the_freed();
  Asked& asked = asked_[found.facts.base];
  auto* base = static_cast<std::byte*>(pointer_of(found.facts.base));
  asked.buffer = found.facts.buffer;
  asked.handle = found.handle;
  asked.alive = sign_of_life(base);
  asked.entry = {};
  asked.entry.allocation = {++last_id_, base, found.facts.bytes, asked.alive};
  asked.entry.maker = maker_of(found.facts);
  asked.entry.gpu = found.facts.gpu;
  asked.entry.mapped = found.facts.bytes;
  if (asked.entry.maker == Maker::virtual_memory) {
    asked.entry.exportable = found.exportable;
    asked.entry.pieces = {{base, found.facts.bytes}};
  }
  return asked.entry;
}

void AllocationIndex::forget_the_freed() {
  std::erase_if(asked_, [](const auto& each) {
    const Found found = find_allocation(each.first);
    return found.facts.base != each.first || found != each.second;
  });
  std::erase_if(joined_, [](const auto& each) {
    return std::ranges::any_of(each.second.parts, [](const auto& part) { return part.expired(); });
  });
}

std::optional<AllocationIndex::Entry> AllocationIndex::join(const Entry& first,
                                                            std::uintptr_t end) {
  std::vector<Entry> parts{first};
  while (end_of(parts.back()) < end) {
    auto next =
        known_at(end_of(parts.back())) == nullptr ? ask(end_of(parts.back())) : std::nullopt;
    if (!next || next->maker != Maker::virtual_memory || next->gpu != first.gpu) return first;
    parts.push_back(std::move(*next));
  }
  return joined(parts);
}

AllocationIndex::Entry AllocationIndex::joined(const std::vector<Entry>& parts) {
  Joined& found = joined_[{number_of(parts.front().allocation.base), end_of(parts.back())}];
  const auto same = [](const std::weak_ptr<void>& known, const Entry& now) {
    const auto alive = known.lock();
    return alive && alive == now.allocation.memory.lock();
  };
  if (std::ranges::equal(found.parts, parts, same)) return found.entry;
  std::byte* base = parts.front().allocation.base;
  found = {};
  found.alive = sign_of_life(base);
  found.entry = parts.front();
  found.entry.pieces.clear();
  found.entry.mapped = end_of(parts.back()) - number_of(base);
  found.entry.allocation = {++last_id_, base, found.entry.mapped, found.alive};
  for (const Entry& part : parts) {
    found.parts.push_back(part.allocation.memory);
    found.entry.pieces.push_back({part.allocation.base, part.allocation.bytes});
    found.entry.exportable = found.entry.exportable && part.exportable;
  }
  return found.entry;
}

std::optional<AllocationIndex::Entry> AllocationIndex::find(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  if (id == 0) return std::nullopt;
  for (const auto& [base, found] : known_) {
    if (found.entry.allocation.id == id) return found.entry;
  }
  forget_the_freed();
  for (const auto& [base, asked] : asked_) {
    if (asked.entry.allocation.id == id) return asked.entry;
  }
  for (const auto& [ends, joined] : joined_) {
    if (joined.entry.allocation.id == id) return joined.entry;
  }
  return std::nullopt;
}

}  // namespace conccl::backend::cuda
