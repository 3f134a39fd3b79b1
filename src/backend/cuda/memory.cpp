// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/memory.hpp"

#include <fmt/format.h>

#include <cstring>

#include "conccl/core/errors.hpp"

namespace conccl::backend::cuda {
namespace {

using Maker = AllocationIndex::Maker;

/// What `Shareable::data` holds.
struct Place {
  std::uint64_t by_handle = 0;  ///< 1: `handle` leads to it, 0: the descriptor does
  std::uint64_t mapped = 0;     ///< bytes to map
  std::uint64_t gpu = 0;        ///< the owner's ordinal
  CUipcMemHandle handle{};
};
static_assert(sizeof(Place) <= Shareable::kMaxData);

Place place_in(const Shareable& shareable) {
  if (shareable.data.size() != sizeof(Place)) {
    throw RunError(fmt::format("map: {} bytes of description, expected {}", shareable.data.size(),
                               sizeof(Place)));
  }
  Place place;
  std::memcpy(&place, shareable.data.data(), sizeof(place));
  if (shareable.bytes > place.mapped || place.mapped == 0) {
    throw RunError(
        fmt::format("map: an allocation of {} bytes, expected at most the {} that are "
                    "there to be mapped",
                    shareable.bytes, place.mapped));
  }
  if (place.by_handle == 0 && !shareable.descriptor) {
    throw RunError("map: no descriptor came with the allocation");
  }
  return place;
}

CUipcMemHandle ipc_handle(const AllocationIndex::Entry& entry) {
  CUipcMemHandle handle{};
  check(driver().cuIpcGetMemHandle(&handle, number_of(entry.allocation.base)),
        {"cuIpcGetMemHandle", entry.gpu, entry.allocation.bytes});
  return handle;
}

/// A mapping that the index knows as another process's.
template <typename Owner>
std::shared_ptr<void> listed(std::shared_ptr<Owner> owner, void* data, Bytes bytes) {
  AllocationIndex::of_process().add_foreign(data, bytes);
  return {data, [owner = std::move(owner)](void* base) mutable {
            AllocationIndex::of_process().remove(base);
            owner.reset();
          }};
}

std::shared_ptr<Mapping> map_descriptor(const Place& place, const FileDescriptor& descriptor) {
  return std::make_shared<Mapping>(PhysicalMemory::import(descriptor), place.mapped);
}

std::shared_ptr<void> open_handle(const std::shared_ptr<Gpu>& gpu, const Place& place) {
  CUdeviceptr address = 0;
  check(driver().cuIpcOpenMemHandle(&address, place.handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
        {"cuIpcOpenMemHandle", gpu->ordinal(), place.mapped});
  auto* data = pointer_of(address);
  std::shared_ptr<void> owner(
      data, [gpu](void* opened) { (void)driver().cuIpcCloseMemHandle(number_of(opened)); });
  return listed(std::move(owner), data, place.mapped);
}

}  // namespace

Memory allocate(const std::shared_ptr<Gpu>& gpu, Bytes bytes) {
  const GpuFacts& facts = gpu->facts();
  if (bytes > facts.memory) {
    throw RunError(fmt::format("allocate: {} bytes on GPU {}, expected at most {}", bytes,
                               facts.ordinal, facts.memory));
  }
  const ContextScope scope(gpu->context());
  const Bytes unit = granularity(facts.ordinal);
  const Bytes whole = std::max(unit, (bytes + unit - 1) / unit * unit);
  const auto physical = PhysicalMemory::create(facts.ordinal, whole);
  auto mapping = std::make_shared<Mapping>(physical, whole);
  mapping->allow(facts.reach);
  void* data = mapping->data();
  std::shared_ptr<void> memory(data, [mapping = std::move(mapping)](void* base) mutable {
    AllocationIndex::of_process().remove(base);
    mapping.reset();
  });
  AllocationIndex::of_process().add(memory, bytes, whole, facts.ordinal);
  return {std::move(memory), bytes};
}

Shareable share(const Allocation& allocation) {
  const auto alive = allocation.memory.lock();
  const auto entry = AllocationIndex::of_process().find(allocation.id);
  if (!alive || !entry) {
    throw RunError(fmt::format("share: allocation {} of {} bytes, expected one that is not freed",
                               allocation.id, allocation.bytes));
  }
  if (entry->maker == Maker::pool) {
    throw Unavailable(fmt::format(
        "share: allocation of {} bytes on GPU {} is from a stream-ordered pool (cudaMallocAsync), "
        "which other processes cannot map: use cudaMalloc",
        entry->allocation.bytes, entry->gpu));
  }
  Place place;
  place.by_handle = entry->maker == Maker::cuda_malloc ? 1 : 0;
  place.mapped = entry->mapped;
  place.gpu = static_cast<std::uint64_t>(entry->gpu);
  Shareable result;
  result.owner = this_process();
  result.allocation = entry->allocation.id;
  result.bytes = entry->allocation.bytes;
  if (place.by_handle != 0) {
    place.handle = ipc_handle(*entry);
  } else {
    const auto base = number_of(entry->allocation.base);
    result.descriptor = PhysicalMemory::at(base).export_descriptor();
  }
  result.data.resize(sizeof(place));
  std::memcpy(result.data.data(), &place, sizeof(place));
  return result;
}

Imports& Imports::of_process() {
  static Imports instance;
  return instance;
}

Memory Imports::map(const std::shared_ptr<Gpu>& gpu, Shareable shareable) {
  const Place place = place_in(shareable);
  const ContextScope scope(gpu->context());
  const std::lock_guard lock(mutex_);
  std::erase_if(imports_, [](const auto& each) { return each.second.memory.expired(); });
  const Key key{shareable.owner, shareable.allocation};
  auto found = imports_.find(key);
  auto memory = found != imports_.end() ? found->second.memory.lock() : nullptr;
  if (!memory) {
    Import import;
    import.mapped = place.mapped;
    if (place.by_handle != 0) {
      memory = open_handle(gpu, place);
    } else {
      auto mapping = map_descriptor(place, shareable.descriptor);
      import.mapping = mapping;
      void* data = mapping->data();
      memory = listed(std::move(mapping), data, place.mapped);
    }
    import.memory = memory;
    found = imports_.insert_or_assign(key, std::move(import)).first;
  }
  if (found->second.mapped != place.mapped) {
    throw RunError(fmt::format("map: {} bytes, expected the {} it is mapped with", place.mapped,
                               found->second.mapped));
  }
  if (const auto mapping = found->second.mapping.lock()) mapping->allow({gpu->ordinal()});
  return {std::move(memory), shareable.bytes};
}

}  // namespace conccl::backend::cuda
