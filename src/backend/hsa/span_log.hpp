// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `SpanLog`: a device's timeline.
#pragma once

#include <atomic>
#include <mutex>

#include "conccl/plan/timeline.hpp"

namespace conccl::backend::hsa {

/// Copies name the runtime's engine ("dma5"), kernels only their kind ("compute"). Any thread may
/// call it.
class SpanLog {
 public:
  void start();
  [[nodiscard]] bool recording() const { return recording_.load(std::memory_order_relaxed); }
  void add(plan::Span span);
  /// All work must have ended. Ends the recording.
  [[nodiscard]] plan::Timeline take();

 private:
  std::atomic<bool> recording_{false};
  std::mutex mutex_;
  plan::Timeline timeline_;
};

}  // namespace conccl::backend::hsa
