// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Launcher`: what does the work of a queue whose order a thread keeps.
#pragma once

#include <span>

#include "backend/threaded/op.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::threaded {

/// Makes a signal or a timestamp happen now.
void perform(const Op& mark);
void perform(std::span<const Op> marks);

/// What becomes of marks behind work that did not happen: whoever waits for a flag is not to take
/// what is there for a result, so its block is poisoned; queues that come after are let go.
void give_up(std::span<const Op> marks);

/// Marks that whoever does the work performs: `before` as it starts, `after` when it has ended. A
/// round trip through the queue's thread would delay them.
struct Marks {
  std::span<const Op> before;
  std::span<const Op> after;
};

/// A device has failed for good: what it should have written is not to be trusted, and the marks
/// behind the work were not performed.
class DeviceFailed : public RunError {
 public:
  using RunError::RunError;
};

/// For the queue's own thread.
class Launcher {
 public:
  virtual ~Launcher() = default;

  /// Whether it can run such a task. Any thread.
  [[nodiscard]] virtual bool accepts(const Task& task) const = 0;
  /// Throws DeviceFailed once the device has. Any thread.
  virtual void demand_sound() const {}
  /// Runs copies, which are unordered, or one task. Returns when all of it has ended and all marks
  /// were performed, or throws its first error when they were performed or given up; throws
  /// DeviceFailed.
  virtual void run(std::span<const Op> work, const Marks& marks) = 0;
};

}  // namespace conccl::backend::threaded
