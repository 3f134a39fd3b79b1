// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `AllocationIndex`: which allocation an address of device memory lies in.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "backend/cuda/driver.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::cuda {

/// What this backend made is in its own list; of everything else the driver is asked. Any thread
/// may call it.
class AllocationIndex {
 public:
  /// Who made an allocation decides how it can be shared.
  enum class Maker { backend, backend_pages, cuda_malloc, virtual_memory, pool };
  struct Entry {
    Allocation allocation;
    Maker maker = Maker::backend;
    int gpu = 0;
    Bytes mapped = 0;                            ///< bytes of the whole mapping or range it lies in
    const FileDescriptor* descriptor = nullptr;  ///< of backend_pages; theirs
  };

  /// The one of this process.
  [[nodiscard]] static AllocationIndex& of_process();

  /// `memory`, of which `bytes` were asked for; `entry` lacks only its allocation.
  void add(const std::shared_ptr<void>& memory, Bytes bytes, Entry entry);
  /// A mapping of another process's memory: nothing that lies in it is an allocation here.
  void add_foreign(const void* base, Bytes mapped);
  void remove(const void* base);

  /// nullopt for memory of other processes, of the host, and memory that moves (managed memory).
  [[nodiscard]] std::optional<Entry> at(const void* address);
  /// nullopt once it is freed.
  [[nodiscard]] std::optional<Entry> find(std::uint64_t id);

 private:
  struct Known {
    Entry entry;  ///< id 0: another process's
  };
  struct Asked {
    Entry entry;
    std::uint64_t buffer = 0;  ///< the driver's id of the allocation
    std::shared_ptr<void> alive;
  };

  [[nodiscard]] std::optional<Entry> ask(CUdeviceptr address);

  std::mutex mutex_;
  std::map<std::uintptr_t, Known> known_;  ///< by base
  std::map<std::uintptr_t, Asked> asked_;  ///< by base
  std::uint64_t last_id_ = 0;
};

}  // namespace conccl::backend::cuda
