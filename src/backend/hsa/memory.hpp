// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Device memory: made, shared with other processes, and mapped from them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/hsa/index.hpp"
#include "backend/process_id.hpp"
#include "conccl/backend/device.hpp"
#include "conccl/core/shared_segment.hpp"

namespace conccl::backend::hsa {

/// Coarse-grained memory of GPU `gpu` that every GPU may access; it can be shared. Throws RunError
/// with the byte count.
[[nodiscard]] Memory allocate(const std::shared_ptr<Runtime>& runtime, int gpu, Bytes bytes);

/// Memory of one of the host's pools that every GPU may access. Throws RunError.
[[nodiscard]] Memory allocate_on_host(const std::shared_ptr<Runtime>& runtime,
                                      abi::hsa_amd_memory_pool_t pool, Bytes bytes);

/// What is exported to other processes. Any thread may call it.
class Exports {
 public:
  /// The one of this process.
  [[nodiscard]] static Exports& of_process();

  /// Each allocation is exported once. The descriptor that comes with it is a file that importers
  /// lock, one at a time. Throws RunError, Unavailable for what other processes cannot be given.
  [[nodiscard]] Shareable share(const std::shared_ptr<Runtime>& runtime,
                                const Allocation& allocation);

 private:
  struct Export {
    std::weak_ptr<void> memory;
    std::vector<std::byte> data;
  };

  std::mutex mutex_;
  std::map<std::uint64_t, Export> exports_;  ///< by the allocation's id
  SharedSegment lock_file_;
};

/// Whether `shareable` is memory of a GPU of this backend's; otherwise it is the host's.
[[nodiscard]] bool is_exported(const Shareable& shareable);

/// Memory of other processes, each mapped once. Any thread may call it.
class Imports {
 public:
  /// The one of this process.
  [[nodiscard]] static Imports& of_process();

  /// Checks everything, for another process may say anything. Throws RunError.
  [[nodiscard]] Memory map(const std::shared_ptr<Runtime>& runtime, const Shareable& shareable);

 private:
  using Key = std::pair<ProcessId, std::uint64_t>;

  std::mutex mutex_;
  std::map<Key, std::weak_ptr<void>> imports_;
};

}  // namespace conccl::backend::hsa
