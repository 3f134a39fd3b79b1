// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `PinnedPages`: host memory that processes share and GPUs read and write.
#pragma once

#include <memory>

#include "backend/cuda/gpu.hpp"
#include "conccl/core/shared_segment.hpp"

namespace conccl::backend::cuda {

/// Registered with the driver, for every GPU, at the address the host knows it by.
class PinnedPages {
 public:
  /// Zeroed, whole pages. Throws RunError with the byte count.
  static std::shared_ptr<PinnedPages> create(const std::shared_ptr<Gpu>& gpu, Bytes bytes);
  /// Those another process created. Throws RunError.
  static std::shared_ptr<PinnedPages> map(const std::shared_ptr<Gpu>& gpu,
                                          FileDescriptor descriptor, Bytes bytes);

  PinnedPages(std::shared_ptr<Gpu> gpu, SharedSegment pages);
  ~PinnedPages();
  PinnedPages(const PinnedPages&) = delete;
  PinnedPages& operator=(const PinnedPages&) = delete;

  [[nodiscard]] std::byte* data() const { return pages_.data(); }
  [[nodiscard]] Bytes bytes() const { return pages_.bytes(); }
  /// Owns nothing where another process created them.
  [[nodiscard]] const FileDescriptor& descriptor() const { return pages_.descriptor(); }

 private:
  std::shared_ptr<Gpu> gpu_;
  SharedSegment pages_;
};

}  // namespace conccl::backend::cuda
