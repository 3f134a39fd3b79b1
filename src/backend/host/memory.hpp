// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Arena`: host memory handed out as device memory, within and between processes.
#pragma once

#include <memory>
#include <optional>

#include "backend/host/allocation_index.hpp"
#include "backend/host/segments.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::host {

/// All of it can be shared. Allocations may outlive the arena. Any thread may call it.
class Arena {
 public:
  /// Allocations over `capacity` (the machine's memory) are refused at once: Linux would promise
  /// them, and end the process when they are touched. Zero: no such limit is known.
  explicit Arena(Bytes capacity);

  /// Aligned to a cache line, from one page on to a page. Throws RunError with the byte count.
  [[nodiscard]] Memory allocate(Bytes bytes);
  /// The same, away from data.
  [[nodiscard]] Memory allocate_for_flags(Bytes bytes);
  /// Knows the allocations of every arena of this process.
  [[nodiscard]] std::optional<Allocation> allocation_of(const void* address) const;
  /// See Device.
  [[nodiscard]] Shareable share(const Allocation& allocation) const;
  [[nodiscard]] Memory map(Shareable shareable) const;

 private:
  [[nodiscard]] Memory allocate_from(const std::shared_ptr<Segments>& segments, Bytes bytes);

  Bytes capacity_;
  std::shared_ptr<Segments> segments_;
  std::shared_ptr<Segments> flag_segments_;
  std::shared_ptr<AllocationIndex> index_;
  int process_;  ///< that made it
};

}  // namespace conccl::backend::host
