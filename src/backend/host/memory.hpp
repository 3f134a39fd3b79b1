// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Host memory handed out as device memory.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "conccl/backend/device.hpp"

namespace conccl::backend::host {

/// Allocates, and knows what it allocated. Allocations may outlive it. Any thread may call it.
class Arena {
 public:
  /// Allocations over `capacity` (the machine's memory) are refused at once: Linux would promise
  /// them, and end the process when they are touched. Zero: no such limit is known.
  explicit Arena(Bytes capacity);

  /// Aligned to a cache line, from one page on to a page. Throws RunError with the byte count.
  [[nodiscard]] Memory allocate(Bytes bytes);
  [[nodiscard]] std::optional<Bytes> bytes_behind(const void* address) const;

 private:
  struct Index {
    std::mutex mutex;
    std::map<const std::byte*, Bytes> allocations;
  };

  Bytes capacity_;
  std::shared_ptr<Index> index_;
};

}  // namespace conccl::backend::host
