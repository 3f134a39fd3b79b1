// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `FrontEnd`: reads a queue's programs and keeps its order, as a command processor does.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <utility>

#include "backend/threaded/launcher.hpp"
#include "backend/threaded/op.hpp"

namespace conccl::backend::threaded {

/// For the queue's own thread, but for `abandon_waits`, `accepts` and `demand_sound`.
class FrontEnd {
 public:
  explicit FrontEnd(std::unique_ptr<Launcher> launcher) : launcher_(std::move(launcher)) {}

  [[nodiscard]] bool accepts(const Task& task) const { return launcher_->accepts(task); }
  void demand_sound() const { launcher_->demand_sound(); }

  /// Runs every operation, also after an error; returns the first. Once the device has failed,
  /// nothing is run any more and every flag that was to be raised is poisoned with its block.
  [[nodiscard]] std::exception_ptr run(const Program& program);

  /// From `limit` from now on, a wait whose flag has not come ends all that is left; waits for
  /// other queues end at once, and drop what is behind them. Any thread.
  void abandon_waits(std::chrono::nanoseconds limit);

 private:
  /// Runs the operations from `at` on that belong together; returns the index behind them.
  std::size_t step(const Program& program, std::size_t at);
  std::size_t run_work(const Program& program, std::size_t mark, std::size_t work);
  [[nodiscard]] bool await(const WaitOp& wait);
  [[nodiscard]] bool is_ending() const;
  [[nodiscard]] bool waits_abandoned() const;

  std::unique_ptr<Launcher> launcher_;
  bool skipping_ = false;
  bool failed_ = false;   ///< the device, for good
  bool gave_up_ = false;  ///< on a wait: nothing that came behind it happens
  static constexpr Nanoseconds::rep kNever = Nanoseconds::max().count();
  std::atomic<Nanoseconds::rep> abandon_at_{kNever};
};

}  // namespace conccl::backend::threaded
