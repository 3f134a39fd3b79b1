// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/memory.hpp"

#include <fmt/format.h>

#include <cstring>

#include "backend/cuda/pinned_pages.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::cuda {
namespace {

using Maker = AllocationIndex::Maker;

/// What leads another process to an allocation.
enum class Way : std::uint64_t { descriptor, handle, pages };

/// What `Shareable::data` holds.
struct Place {
  Way way = Way::descriptor;
  std::uint64_t mapped = 0;  ///< bytes to map
  std::uint64_t gpu = 0;     ///< the owner's ordinal
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
  if (place.way > Way::pages) {
    throw RunError(fmt::format("map: an allocation of kind {}, expected at most {}",
                               static_cast<std::uint64_t>(place.way),
                               static_cast<std::uint64_t>(Way::pages)));
  }
  if (place.way != Way::handle && !shareable.descriptor) {
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

std::shared_ptr<void> map_pages(const std::shared_ptr<Gpu>& gpu, const Place& place,
                                FileDescriptor descriptor) {
  auto pages = PinnedPages::map(gpu, std::move(descriptor), place.mapped);
  void* data = pages->data();
  return listed(std::move(pages), data, place.mapped);
}

Way way_to(Maker maker) {
  if (maker == Maker::backend_pages) return Way::pages;
  return maker == Maker::cuda_malloc ? Way::handle : Way::descriptor;
}

/// Until the last owner is gone, the index knows it.
template <typename Owner>
Memory indexed(std::shared_ptr<Owner> owner, Bytes bytes, const AllocationIndex::Entry& entry) {
  void* data = owner->data();
  std::shared_ptr<void> memory(data, [owner = std::move(owner)](void* base) mutable {
    AllocationIndex::of_process().remove(base);
    owner.reset();
  });
  AllocationIndex::of_process().add(memory, bytes, entry);
  return {std::move(memory), bytes};
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
  return indexed(std::move(mapping), bytes, {{}, Maker::backend, facts.ordinal, whole, nullptr});
}

Memory allocate_pages(const std::shared_ptr<Gpu>& gpu, Bytes bytes) {
  auto pages = PinnedPages::create(gpu, bytes);
  const AllocationIndex::Entry entry{
      {}, Maker::backend_pages, gpu->ordinal(), pages->bytes(), &pages->descriptor()};
  return indexed(std::move(pages), bytes, entry);
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
  place.way = way_to(entry->maker);
  place.mapped = entry->mapped;
  place.gpu = static_cast<std::uint64_t>(entry->gpu);
  Shareable result;
  result.owner = this_process();
  result.allocation = entry->allocation.id;
  result.bytes = entry->allocation.bytes;
  switch (place.way) {
    case Way::handle:
      place.handle = ipc_handle(*entry);
      break;
    case Way::pages:
      result.descriptor = entry->descriptor->duplicate();
      break;
    case Way::descriptor:
      result.descriptor = PhysicalMemory::at(number_of(entry->allocation.base)).export_descriptor();
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
    if (place.way == Way::handle) {
      memory = open_handle(gpu, place);
    } else if (place.way == Way::pages) {
      memory = map_pages(gpu, place, std::move(shareable.descriptor));
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
