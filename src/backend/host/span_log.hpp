// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `SpanLog`: who ran what, when, on one device.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "conccl/backend/queue.hpp"
#include "conccl/plan/timeline.hpp"

namespace conccl::backend::host {

/// A device's spans: one buffer per unit, written by that unit only. Nothing is recorded, and
/// nothing allocated, until `start`. `start` and `take` need idle queues.
class SpanLog {
 public:
  SpanLog(int dma_units, int compute_units);

  [[nodiscard]] bool recording() const { return recording_.load(std::memory_order_relaxed); }
  void start();
  [[nodiscard]] plan::Timeline take();

  /// The buffer of one unit; names the unit in the spans it takes.
  class Unit {
   public:
    explicit Unit(std::string name) : name_(std::move(name)) {}
    void add(plan::Span span);

   private:
    friend class SpanLog;
    std::string name_;
    std::vector<plan::Span> spans_;
  };

  [[nodiscard]] Unit* units(plan::Engine engine);

 private:
  std::atomic<bool> recording_{false};
  std::vector<Unit> dma_;
  std::vector<Unit> compute_;
};

}  // namespace conccl::backend::host
