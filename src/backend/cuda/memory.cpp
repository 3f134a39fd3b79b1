// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>

#include "backend/cuda/pinned_pages.hpp"
#include "backend/cuda/refusal.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::backend::cuda {
namespace {

using Maker = AllocationIndex::Maker;

/// What leads another process to an allocation.
enum class Way : std::uint64_t { descriptor, handle, pages };

/// What `Shareable::data` begins with; the sizes of the pieces follow, where there are descriptors
/// of device memory.
struct Place {
  Way way = Way::descriptor;
  std::uint64_t mapped = 0;  ///< bytes to map
  Uuid gpu{};                ///< the owner's
  CUipcMemHandle handle{};
};
using PieceSize = std::uint32_t;
constexpr Bytes kPieceUnit = 64 * kKiB;
static_assert(sizeof(Place) + Shareable::kMaxDescriptors * sizeof(PieceSize) <=
              Shareable::kMaxData);

void check_place(const Place& place, const Shareable& shareable) {
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
  if (place.way != Way::handle && shareable.descriptors.empty()) {
    throw RunError("map: no descriptor came with the allocation");
  }
}

Place place_in(const Shareable& shareable) {
  if (shareable.data.size() < sizeof(Place)) {
    throw RunError(fmt::format("map: {} bytes of description, expected at least {}",
                               shareable.data.size(), sizeof(Place)));
  }
  Place place;
  std::memcpy(&place, shareable.data.data(), sizeof(place));
  check_place(place, shareable);
  return place;
}

/// Of the pieces, by descriptor. They must make up what is to be mapped.
std::vector<Bytes> sizes_in(const Shareable& shareable, const Place& place) {
  const std::size_t count = shareable.descriptors.size();
  std::vector<PieceSize> units(count);
  if (shareable.data.size() != sizeof(Place) + count * sizeof(PieceSize)) {
    throw RunError(fmt::format("map: {} bytes of description, expected those of {} pieces",
                               shareable.data.size(), count));
  }
  std::memcpy(units.data(), shareable.data.data() + sizeof(Place), count * sizeof(PieceSize));
  std::vector<Bytes> sizes;
  for (const PieceSize each : units) sizes.push_back(each * kPieceUnit);
  const Bytes sum = std::accumulate(sizes.begin(), sizes.end(), Bytes{0});
  if (sum == place.mapped) return sizes;
  throw RunError(fmt::format("map: pieces of {} bytes together, expected {}", sum, place.mapped));
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

std::shared_ptr<Mapping> map_pieces(const Place& place, const Shareable& shareable) {
  const auto sizes = sizes_in(shareable, place);
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    pieces.push_back({PhysicalMemory::import(shareable.descriptors[i]), sizes[i]});
  }
  return std::make_shared<Mapping>(pieces);
}

std::shared_ptr<void> open_handle(const std::shared_ptr<Gpu>& gpu, const Place& place) {
  CUdeviceptr address = 0;
  const auto open = [&] {
    return driver().cuIpcOpenMemHandle(&address, place.handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  };
  CUresult result = open();
  if (result == CUDA_ERROR_ALREADY_MAPPED) {
    // The owner has freed what it had there before, and this process still holds that.
    gpu->retired().close_handles();
    result = open();
  }
  check(result, {"cuIpcOpenMemHandle", gpu->ordinal(), place.mapped});
  auto* data = pointer_of(address);
  std::shared_ptr<void> owner(data, [gpu, bytes = place.mapped](void* opened) {
    gpu->retired().add_handle(number_of(opened), bytes);
  });
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

AllocationIndex::Entry backend_entry(int gpu, Bytes mapped) {
  AllocationIndex::Entry entry;
  entry.gpu = gpu;
  entry.mapped = mapped;
  return entry;
}

void add_pieces(Shareable& shareable, const AllocationIndex::Entry& entry) {
  using Stretch = AllocationIndex::Stretch;
  const std::vector<Stretch> whole{{entry.allocation.base, entry.mapped}};
  std::vector<PieceSize> units;
  for (const auto& [base, bytes] : entry.pieces.empty() ? whole : entry.pieces) {
    const auto memory = PhysicalMemory::at(number_of(base));
    if (!memory) throw RunError(fmt::format("share: no memory is mapped at {}", fmt::ptr(base)));
    shareable.descriptors.push_back(memory->export_descriptor());
    units.push_back(static_cast<PieceSize>(bytes / kPieceUnit));
  }
  const auto bytes = std::as_bytes(std::span(units));
  shareable.data.insert(shareable.data.end(), bytes.begin(), bytes.end());
}

Shareable described(const AllocationIndex::Entry& entry) {
  Place place;
  place.way = way_to(entry.maker);
  place.mapped = entry.mapped;
  place.gpu = facts_of(entry.gpu).uuid;
  if (place.way == Way::handle) place.handle = ipc_handle(entry);
  Shareable result;
  result.owner = this_process();
  result.allocation = entry.allocation.id;
  result.bytes = entry.allocation.bytes;
  result.data.resize(sizeof(place));
  std::memcpy(result.data.data(), &place, sizeof(place));
  if (place.way == Way::pages) result.descriptors.push_back(entry.descriptor->duplicate());
  if (place.way == Way::descriptor) add_pieces(result, entry);
  return result;
}

/// Throws RunError when the GPU cannot reach memory of the one it is to be mapped from.
void require_reach(const Gpu& gpu, const Place& place) {
  const auto& facts = gpu.facts();
  if (place.way == Way::pages) return;
  for (int ordinal = 0; ordinal < gpu_count(); ++ordinal) {
    const GpuFacts owner = facts_of(ordinal);
    if (owner.uuid != place.gpu || ordinal == facts.ordinal) continue;
    if (std::ranges::count(facts.reach, ordinal) != 0) continue;
    throw RunError(fmt::format("map: {}", no_peer_access(facts, owner)));
  }
}

/// Memory, and its mapping where virtual memory calls made that.
using Imported = std::pair<std::shared_ptr<void>, std::weak_ptr<const Mapping>>;

Imported import_from(const std::shared_ptr<Gpu>& gpu, const Place& place, Shareable& shareable) {
  require_reach(*gpu, place);
  if (place.way == Way::handle) return {open_handle(gpu, place), {}};
  if (place.way == Way::pages) {
    return {map_pages(gpu, place, std::move(shareable.descriptors.front())), {}};
  }
  auto mapping = map_pieces(place, shareable);
  const std::weak_ptr<const Mapping> view = mapping;
  void* data = mapping->data();
  return {listed(std::move(mapping), data, place.mapped), view};
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
  auto mapping = std::make_shared<Mapping>(PhysicalMemory::create(facts.ordinal, whole), whole);
  mapping->allow(facts.reach);
  return indexed(std::move(mapping), bytes, backend_entry(facts.ordinal, whole));
}

Memory allocate_pages(const std::shared_ptr<Gpu>& gpu, Bytes bytes) {
  auto pages = PinnedPages::create(gpu, bytes);
  auto entry = backend_entry(gpu->ordinal(), pages->bytes());
  entry.maker = Maker::backend_pages;
  entry.descriptor = &pages->descriptor();
  return indexed(std::move(pages), bytes, entry);
}

Shareable share(const Allocation& allocation) {
  const auto alive = allocation.memory.lock();
  const auto entry = AllocationIndex::of_process().find(allocation.id);
  if (!alive || !entry) {
    throw RunError(fmt::format("share: allocation {} of {} bytes, expected one that is not freed",
                               allocation.id, allocation.bytes));
  }
  if (const auto why = why_not_shared(*entry)) {
    throw Unavailable(fmt::format("share: memory of {} bytes on GPU {} {}", entry->allocation.bytes,
                                  entry->gpu, *why));
  }
  return described(*entry);
}

Imports& Imports::of_process() {
  static Imports instance;
  return instance;
}

Memory Imports::map(const std::shared_ptr<Gpu>& gpu, Shareable shareable) {
  const Place place = place_in(shareable);
  const ContextScope scope(gpu->context());
  const std::lock_guard lock(mutex_);
  gpu->retired().tidy();
  std::erase_if(imports_, [](const auto& each) { return each.second.memory.expired(); });
  const Key key{shareable.owner, shareable.allocation};
  auto found = imports_.find(key);
  auto memory = found != imports_.end() ? found->second.memory.lock() : nullptr;
  if (!memory) {
    note_owner(*gpu, place.gpu);
    auto [fresh, mapping] = import_from(gpu, place, shareable);
    memory = std::move(fresh);
    found = imports_.insert_or_assign(key, Import{memory, mapping, place.mapped}).first;
  }
  if (found->second.mapped != place.mapped) {
    throw RunError(fmt::format("map: {} bytes, expected the {} it is mapped with", place.mapped,
                               found->second.mapped));
  }
  if (const auto mapping = found->second.mapping.lock()) mapping->allow({gpu->ordinal()});
  return {std::move(memory), shareable.bytes};
}

void Imports::note_owner(const Gpu& gpu, const Uuid& owner) {
  if (owner != gpu.facts().uuid || std::exchange(shared_gpu_noted_, true)) return;
  log(LogLevel::info, fmt::format("GPU {} ({}) is used by ranks of several processes, which share "
                                  "its engines and its multiprocessors",
                                  gpu.ordinal(), to_text(owner)));
}

}  // namespace conccl::backend::cuda
