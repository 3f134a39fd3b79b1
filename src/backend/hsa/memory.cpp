// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>

#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::uint64_t kMark = 0x6c63636e6f636168;
constexpr std::chrono::milliseconds kLockNap{1};
constexpr Bytes kLockFile = 4 * kKiB;

/// What `Shareable::data` holds, little-endian.
struct Place {
  std::uint64_t mark = kMark;
  std::uint64_t mapped = 0;  ///< bytes of the whole allocation as the runtime has them
  PciAddress gpu;
  std::uint32_t node = 0;  ///< of the driver's topology: parts of one GPU share the address
  std::uint32_t unused = 0;
  abi::hsa_amd_ipc_memory_t handle{};
};
static_assert(sizeof(Place) == 64 && sizeof(Place) <= Shareable::kMaxData);
static_assert(std::endian::native == std::endian::little, "a Place is written as it lies");

/// Held while memory is exported, and while it is attached in another process: two of these at a
/// time may go wrong in the driver. Closed, it is free again.
FileDescriptor lock_exchange(const FileDescriptor& file, SteadyClock::time_point until) {
  // Opened anew, for locks belong to what `open` returned, which descriptors that travel share.
  const auto path = fmt::format("/proc/self/fd/{}", file.get());
  FileDescriptor own(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!own) {
    throw RunError(
        fmt::format("share or map: {}: {}", path, std::generic_category().message(errno)));
  }
  while (::flock(own.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      throw RunError(
          fmt::format("share or map: flock: {}", std::generic_category().message(errno)));
    }
    if (SteadyClock::now() >= until) {
      throw RunError("share or map: other processes held the exporter's lock until the deadline");
    }
    std::this_thread::sleep_for(kLockNap);
  }
  return own;
}

Place place_in(const Shareable& shareable) {
  Place place;
  std::memcpy(&place, shareable.data.data(), sizeof(place));
  if (place.mapped < shareable.bytes || place.mapped == 0) {
    throw RunError(fmt::format("map: {} bytes, expected to lie in an allocation of {}",
                               shareable.bytes, place.mapped));
  }
  if (shareable.descriptors.size() != 1 || !shareable.descriptors.front()) {
    throw RunError(fmt::format("map: {} descriptors came with the allocation, expected one",
                               shareable.descriptors.size()));
  }
  return place;
}

int gpu_at(const Runtime& runtime, const Place& place) {
  for (std::size_t gpu = 0; gpu < runtime.gpu_count(); ++gpu) {
    const GpuFacts& facts = runtime.gpu(static_cast<int>(gpu)).facts;
    if (facts.pci == place.gpu && facts.node == static_cast<int>(place.node)) return facts.index;
  }
  throw RunError(fmt::format(
      "map: memory of the GPU at PCI domain {:x}, function {:x}, node {}, which this process does "
      "not see (ROCR_VISIBLE_DEVICES)",
      place.gpu.domain, place.gpu.function, place.node));
}

void allow(const Calls& calls, const std::vector<abi::hsa_agent_t>& agents, const void* base,
           const Call& call) {
  check(calls,
        calls.hsa_amd_agents_allow_access(static_cast<std::uint32_t>(agents.size()), agents.data(),
                                          nullptr, base),
        call);
}

Memory allocate_from(const std::shared_ptr<Runtime>& runtime, abi::hsa_amd_memory_pool_t pool,
                     int gpu, Bytes bytes) {
  const Calls& calls = runtime->calls();
  runtime->demand_same_process("allocate");
  (void)runtime->overdue().collect();
  void* base = nullptr;
  check(calls, calls.hsa_amd_memory_pool_allocate(pool, std::max<Bytes>(bytes, 1), 0, &base),
        {"hsa_amd_memory_pool_allocate", gpu, bytes});
  const std::shared_ptr<void> raw(
      base, [runtime](void* pointer) { (void)runtime->calls().hsa_amd_memory_pool_free(pointer); });
  allow(calls, gpu < 0 ? runtime->agents() : runtime->agents_reaching(gpu), base,
        {"hsa_amd_agents_allow_access", gpu, bytes});
  return {raw, bytes};
}

/// In the index as long as it lives.
Memory indexed(const Memory& raw, Index::Maker maker, int gpu) {
  std::shared_ptr<void> memory(raw.data(), [owner = raw.owner()](void* base) mutable {
    Index::of_process().remove(base);
    owner.reset();
  });
  Index::of_process().add(memory, raw.bytes(), maker, gpu);
  return {std::move(memory), raw.bytes()};
}

/// Bytes of the allocation at `base`, as the runtime has them.
Bytes mapped_bytes(const Runtime& runtime, const void* base) {
  abi::hsa_amd_pointer_info_t info{};
  info.size = sizeof(info);
  check(runtime.calls(),
        runtime.calls().hsa_amd_pointer_info(base, &info, nullptr, nullptr, nullptr),
        {"hsa_amd_pointer_info"});
  return info.sizeInBytes;
}

}  // namespace

Memory allocate(const std::shared_ptr<Runtime>& runtime, int gpu, Bytes bytes) {
  const GpuFacts& facts = runtime->gpu(gpu).facts;
  if (bytes > facts.memory) {
    throw RunError(fmt::format("allocate: {} bytes, expected at most the {} of GPU {}", bytes,
                               facts.memory, gpu));
  }
  return indexed(allocate_from(runtime, facts.memory_pool, gpu, bytes), Index::Maker::backend, gpu);
}

Memory allocate_on_host(const std::shared_ptr<Runtime>& runtime, abi::hsa_amd_memory_pool_t pool,
                        Bytes bytes) {
  return allocate_from(runtime, pool, -1, bytes);
}

Exports& Exports::of_process() {
  static auto* const instance = new Exports;  // memory may go after static objects have
  return *instance;
}

Shareable Exports::share(const std::shared_ptr<Runtime>& runtime, const Allocation& allocation) {
  const auto alive = allocation.memory.lock();
  const auto entry = Index::of_process().find(allocation.id);
  if (!alive || !entry) {
    throw RunError(fmt::format("share: allocation {} of {} bytes, expected one that is not freed",
                               allocation.id, allocation.bytes));
  }
  const std::lock_guard lock(mutex_);
  std::erase_if(exports_, [](const auto& each) { return each.second.memory.expired(); });
  if (lock_file_.bytes() == 0) lock_file_ = SharedSegment::create("conccl-imports", kLockFile);
  auto& exported = exports_[allocation.id];
  if (exported.data.empty()) {
    Place place;
    place.mapped = mapped_bytes(*runtime, allocation.base);
    place.gpu = runtime->gpu(entry->gpu).facts.pci;
    place.node = static_cast<std::uint32_t>(runtime->gpu(entry->gpu).facts.node);
    const auto held =
        lock_exchange(lock_file_.descriptor(), SteadyClock::now() + runtime->time_for(0));
    check(runtime->calls(),
          runtime->calls().hsa_amd_ipc_memory_create(allocation.base, place.mapped, &place.handle),
          {"hsa_amd_ipc_memory_create", entry->gpu, place.mapped});
    exported = {alive, std::vector<std::byte>(sizeof(place))};
    std::memcpy(exported.data.data(), &place, sizeof(place));
  }
  Shareable result;
  result.owner = this_process();
  result.allocation = allocation.id;
  result.bytes = allocation.bytes;
  result.data = exported.data;
  result.descriptors.push_back(lock_file_.descriptor().duplicate());
  return result;
}

bool is_exported(const Shareable& shareable) {
  std::uint64_t mark = 0;
  if (shareable.data.size() != sizeof(Place)) return false;
  std::memcpy(&mark, shareable.data.data(), sizeof(mark));
  return mark == kMark;
}

Imports& Imports::of_process() {
  static auto* const instance = new Imports;
  return *instance;
}

Memory Imports::map(const std::shared_ptr<Runtime>& runtime, const Shareable& shareable) {
  const Place place = place_in(shareable);
  const std::lock_guard lock(mutex_);
  std::erase_if(imports_, [](const auto& each) { return each.second.expired(); });
  auto& import = imports_[{shareable.owner, shareable.allocation}];
  if (auto mapped = import.lock()) return {std::move(mapped), shareable.bytes};
  const int gpu = gpu_at(*runtime, place);
  const auto held =
      lock_exchange(shareable.descriptors.front(), SteadyClock::now() + runtime->time_for(0));
  const auto agents = runtime->agents_reaching(gpu);
  void* base = nullptr;
  check(runtime->calls(),
        runtime->calls().hsa_amd_ipc_memory_attach(&place.handle, place.mapped,
                                                   static_cast<std::uint32_t>(agents.size()),
                                                   agents.data(), &base),
        {"hsa_amd_ipc_memory_attach", gpu, place.mapped});
  const std::shared_ptr<void> raw(base, [runtime](void* pointer) {
    (void)runtime->calls().hsa_amd_ipc_memory_detach(pointer);
  });
  if (const Bytes attached = mapped_bytes(*runtime, base); attached < shareable.bytes) {
    throw RunError(
        fmt::format("map: {} bytes are attached, expected at least {}", attached, shareable.bytes));
  }
  Memory memory = indexed({raw, shareable.bytes}, Index::Maker::other_process, gpu);
  import = memory.owner();
  return memory;
}

}  // namespace conccl::backend::hsa
