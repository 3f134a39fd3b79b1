// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `FrontEnd`: reads a queue's programs and keeps its order, as a command processor does.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <string>
#include <utility>

#include "backend/host/op.hpp"
#include "backend/host/pool.hpp"
#include "backend/host/queued_work.hpp"

namespace conccl::backend::host {

/// Where one kind of a queue's work goes. `units` is the pool's row of the log.
struct Route {
  Pool* pool = nullptr;
  Placement placement;
  SpanLog::Unit* units = nullptr;
};

/// Copies go to the queue's engine; tasks always to compute units. Pools and log must outlive it.
struct Target {
  std::string label;
  Route copies;
  Route tasks;
  const SpanLog* log = nullptr;
};

/// For the queue's own thread, but for `abandon_waits`.
class FrontEnd {
 public:
  explicit FrontEnd(Target target) : target_(std::move(target)) {}

  [[nodiscard]] const std::string& label() const { return target_.label; }

  /// Runs every operation, also after an error; returns the first.
  [[nodiscard]] std::exception_ptr run(const Program& program);

  /// From `limit` from now on, a wait whose flag has not come ends all that is left; waits for
  /// other queues end at once, and drop what is behind them. Any thread.
  void abandon_waits(std::chrono::nanoseconds limit);

 private:
  /// Runs the operations from `at` on that belong together; returns the index behind them.
  std::size_t step(const Program& program, std::size_t at);
  std::size_t run_work(const Program& program, std::size_t mark, std::size_t work);
  void launch(std::span<const Op> work, const Marks& marks);
  void launch(QueuedWork& work, const Marks& marks, const Route& route);
  [[nodiscard]] bool await(const WaitOp& wait);
  [[nodiscard]] bool is_ending() const;
  [[nodiscard]] bool waits_abandoned() const;

  Target target_;
  CopyBatch copies_;
  bool skipping_ = false;
  bool gave_up_ = false;  ///< on a wait: nothing that came behind it happens
  static constexpr Nanoseconds::rep kNever = Nanoseconds::max().count();
  std::atomic<Nanoseconds::rep> abandon_at_{kNever};
};

}  // namespace conccl::backend::host
