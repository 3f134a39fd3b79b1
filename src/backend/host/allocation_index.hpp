// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `AllocationIndex`: what this process's host devices have allocated.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "backend/host/segments.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::host {

/// Any thread may call it.
class AllocationIndex {
 public:
  struct Entry {
    Allocation allocation;
    Block block;
  };

  /// The one of this process. Whoever allocates keeps it, so that it outlives the allocations.
  [[nodiscard]] static std::shared_ptr<AllocationIndex> of_process();

  void add(const std::shared_ptr<void>& memory, Bytes bytes, const Block& block);
  void remove(const void* base);
  /// The allocation that `address` lies in; one of zero bytes holds its own address.
  [[nodiscard]] std::optional<Entry> at(const void* address) const;
  [[nodiscard]] std::optional<Entry> find(std::uint64_t id) const;

 private:
  mutable std::mutex mutex_;
  std::uint64_t last_id_ = 0;
  std::map<const std::byte*, Entry> by_base_;
  std::map<std::uint64_t, const std::byte*> base_of_;
};

}  // namespace conccl::backend::host
