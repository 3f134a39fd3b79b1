// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `AllocationIndex`: which allocation an address of device memory lies in.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "backend/cuda/driver.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::cuda {

/// What this backend made is in its own list; of everything else the driver is asked, each time,
/// for its owner frees it without a word. Any thread may call it.
class AllocationIndex {
 public:
  /// Who made an allocation decides how it can be shared.
  enum class Maker { backend, backend_pages, cuda_malloc, virtual_memory, pool };
  struct Stretch {
    std::byte* base = nullptr;
    Bytes bytes = 0;
  };
  struct Entry {
    Allocation allocation;
    Maker maker = Maker::backend;
    int gpu = 0;
    Bytes mapped = 0;                            ///< bytes of the whole mapping it lies in
    const FileDescriptor* descriptor = nullptr;  ///< of backend_pages; theirs
    bool exportable = true;                      ///< virtual_memory: its maker lets it be shared
    std::vector<Stretch> pieces;                 ///< virtual_memory: one per physical allocation
  };

  /// The one of this process.
  [[nodiscard]] static AllocationIndex& of_process();

  /// `memory`, of which `bytes` were asked for; `entry` lacks only its allocation.
  void add(const std::shared_ptr<void>& memory, Bytes bytes, Entry entry);
  /// A mapping of another process's memory: nothing that lies in it is an allocation here.
  void add_foreign(const void* base, Bytes mapped);
  void remove(const void* base);

  /// nullopt for memory of other processes, of the host, and memory that moves (managed memory).
  /// `context` is any; it is made current where the driver has to be asked.
  [[nodiscard]] std::optional<Entry> at(const void* address, CUcontext context);
  /// The same; where `bytes` from the address on span several physical allocations that are mapped
  /// one behind the other, all of these as one.
  [[nodiscard]] std::optional<Entry> over(const void* address, Bytes bytes, CUcontext context);
  /// Whether `at` gives allocation `id`, without a copy of what is known of it.
  [[nodiscard]] bool holds(const void* address, std::uint64_t id, CUcontext context);
  /// nullopt once it is freed. A context must be current.
  [[nodiscard]] std::optional<Entry> find(std::uint64_t id);
  /// Whether `address` lies in memory of another process.
  [[nodiscard]] bool foreign(const void* address);

 private:
  struct Known {
    Entry entry;  ///< id 0: another process's
  };
  struct Asked {
    Entry entry;
    std::uint64_t buffer = 0;  ///< the driver's id of the allocation
    std::uint64_t handle = 0;  ///< of the physical memory, where virtual memory calls mapped it
    std::shared_ptr<void> alive;
  };
  struct Joined {
    Entry entry;
    std::vector<std::weak_ptr<void>> parts;  ///< of each piece; one expires when it is freed
    std::shared_ptr<void> alive;
  };
  using Ends = std::pair<std::uintptr_t, std::uintptr_t>;

  [[nodiscard]] const Known* known_at(std::uintptr_t address) const;
  /// What cudaMalloc gave, if it is still there; costs one short call.
  [[nodiscard]] const Entry* unchanged_at(std::uintptr_t address) const;
  [[nodiscard]] std::optional<Entry> ask(std::uintptr_t address);
  [[nodiscard]] std::optional<Entry> join(const Entry& first, std::uintptr_t end);
  [[nodiscard]] Entry joined(const std::vector<Entry>& parts);
  void forget_the_freed();

  std::mutex mutex_;
  std::map<std::uintptr_t, Known> known_;  ///< by base
  std::map<std::uintptr_t, Asked> asked_;  ///< by base
  std::map<Ends, Joined> joined_;
  std::uint64_t last_id_ = 0;
};

}  // namespace conccl::backend::cuda
