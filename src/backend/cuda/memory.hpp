// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Device memory: made, shared with other processes, and mapped from them.
#pragma once

#include <map>
#include <mutex>
#include <utility>

#include "backend/cuda/gpu.hpp"
#include "backend/cuda/index.hpp"
#include "backend/cuda/mapping.hpp"
#include "backend/process_id.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::cuda {

/// Memory of `gpu` that every GPU in its reach may access; it can be shared. Takes whole units of
/// 2 MiB. Throws RunError with the byte count.
[[nodiscard]] Memory allocate(const std::shared_ptr<Gpu>& gpu, Bytes bytes);

/// Zeroed host memory that every GPU may access; it can be shared. Throws RunError.
[[nodiscard]] Memory allocate_pages(const std::shared_ptr<Gpu>& gpu, Bytes bytes);

/// See Device. Descriptors for memory made by virtual memory calls, one per physical allocation; an
/// IPC handle for cudaMalloc's. Throws Unavailable with the reason, as `why_not_shared`.
[[nodiscard]] Shareable share(const Allocation& allocation);

/// Memory of other processes, each mapped once. Any thread may call it.
class Imports {
 public:
  /// The one of this process.
  [[nodiscard]] static Imports& of_process();

  /// Checks everything, for another process may say anything. Throws RunError.
  [[nodiscard]] Memory map(const std::shared_ptr<Gpu>& gpu, Shareable shareable);

 private:
  using Key = std::pair<ProcessId, std::uint64_t>;
  struct Import {
    std::weak_ptr<void> memory;
    std::weak_ptr<const Mapping> mapping;  ///< of virtual memory only
    Bytes mapped = 0;
  };

  /// Says once when another process's rank is on this GPU.
  void note_owner(const Gpu& gpu, const Uuid& owner);

  std::mutex mutex_;
  std::map<Key, Import> imports_;
  bool shared_gpu_noted_ = false;
};

}  // namespace conccl::backend::cuda
