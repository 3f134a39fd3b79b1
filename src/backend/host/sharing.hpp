// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The host backend's side of `Shareable`: how a block is written for other processes, and the
/// segments of other processes that are mapped here.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "backend/host/allocation_index.hpp"
#include "backend/process_id.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::host {

[[nodiscard]] Shareable shareable(const AllocationIndex::Entry& entry);

/// Segments of other processes, each mapped once. Any thread may call it.
class Imports {
 public:
  /// The one of this process. What it mapped may outlive it.
  [[nodiscard]] static Imports& of_process();

  /// Checks everything, for another process may say anything. Throws RunError.
  [[nodiscard]] Memory map(Shareable shareable);

 private:
  using Key = std::pair<ProcessId, std::uint64_t>;

  [[nodiscard]] std::shared_ptr<SharedSegment> segment(const Key& key, FileDescriptor descriptor,
                                                       Bytes bytes);

  std::mutex mutex_;
  std::map<Key, std::weak_ptr<SharedSegment>> segments_;
};

}  // namespace conccl::backend::host
