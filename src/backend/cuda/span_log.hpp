// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `SpanLog`: a device's timeline, from events around its work.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "backend/cuda/gpu.hpp"
#include "conccl/plan/timeline.hpp"

namespace conccl::backend::cuda {

/// The hardware does not tell which engine or multiprocessor ran what, so spans name only the kind:
/// "dma" or "compute". Copies that were handed over together have one span each, all alike. Any
/// thread may call it.
class SpanLog {
 public:
  explicit SpanLog(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {}

  void start();
  [[nodiscard]] bool active() const { return active_; }
  /// `span` without its times, which are those of the events.
  void add(plan::Span span, Event begin, Event end);
  /// All work must have ended.
  [[nodiscard]] plan::Timeline take();

 private:
  struct Entry {
    plan::Span span;
    Event begin;
    Event end;
  };
  std::shared_ptr<Gpu> gpu_;
  std::atomic<bool> active_{false};
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace conccl::backend::cuda
