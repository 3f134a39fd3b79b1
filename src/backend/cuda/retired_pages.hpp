// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `RetiredPages`: pinned host memory, and opened handles of other processes' memory, that nobody
/// uses any more.
#pragma once

#include <mutex>
#include <vector>

#include "backend/cuda/driver.hpp"
#include "conccl/core/shared_segment.hpp"

namespace conccl::backend::cuda {

/// The driver takes such memory back only when every stream is idle, and holds the caller up
/// until then; so that is done rarely, for many at once. Any thread may call it, the context must
/// be current when it is destroyed.
class RetiredPages {
 public:
  RetiredPages() = default;
  ~RetiredPages();
  RetiredPages(const RetiredPages&) = delete;
  RetiredPages& operator=(const RetiredPages&) = delete;

  void add(SharedSegment pages);
  /// What cuIpcOpenMemHandle gave.
  void add_handle(CUdeviceptr opened, Bytes bytes);
  /// All that were added. The context must be current.
  void close_handles();
  /// Takes back what was retired if it is much. The context must be current.
  void tidy();

 private:
  std::mutex mutex_;
  std::vector<SharedSegment> pages_;
  std::vector<CUdeviceptr> handles_;
  Bytes handle_bytes_ = 0;
};

}  // namespace conccl::backend::cuda
