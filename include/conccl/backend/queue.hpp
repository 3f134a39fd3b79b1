// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Queue`: an in-order stream of a device, in the vocabulary of a copy queue.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "conccl/backend/flags.hpp"
#include "conccl/core/units.hpp"
#include "conccl/plan/plan.hpp"

namespace conccl::backend {

/// A piece of compute a device can run: a GEMM, a fill, a compare. Made by the device, owned by the
/// caller, which keeps it until the queue has run it.
class Task {
 public:
  virtual ~Task() = default;
};

/// Where an operation came from, for timelines.
struct Origin {
  int rank = 0;
  int step = 0;
};

/// What a queue may use; a plan's lane maps to one of these.
struct QueueSpec {
  std::string label;  ///< appears as `Span::lane`
  plan::Engine engine = plan::Engine::compute;
  plan::Share share;
  plan::Priority priority = plan::Priority::normal;
};

/// Where a queue's clock is written; must stay in place until the queue has passed it. May be read
/// once any queue of the device that comes after it was synchronized.
using Timestamp = Nanoseconds;

/// Operations run in the order recorded. Copies between two other operations are unordered; every
/// other operation comes after all earlier and before all later ones. Nothing runs before `submit`.
/// Recording and submitting are for one thread at a time. Destroying a queue waits for its work.
///
/// `signal` directly before work (`copy`, `compute`) on a flag of the queue's own device is raised
/// as that work starts, not before it is in the device's hands: whoever waits for it is launched
/// later.
///
/// When the block of a `wait` is poisoned, the wait ends and every later copy and compute of the
/// submission is skipped; signals and timestamps still happen. A device whose hardware cannot skip
/// (`Capabilities::drops_work`) runs them too, on whatever their sources hold.
class Queue {
 public:
  virtual ~Queue() = default;

  virtual void copy(void* dst, const void* src, Bytes bytes, Origin origin) = 0;
  virtual void signal(FlagRef flag, std::uint64_t value) = 0;
  virtual void wait(FlagRef flag, std::uint64_t value) = 0;
  virtual void compute(Task& task, Origin origin) = 0;
  virtual void timestamp(Timestamp& slot) = 0;
  /// Submits `other`, a queue of the same device; what is recorded here from now on starts when all
  /// that was submitted there has ended. Either queue may be destroyed before that.
  virtual void after(Queue& other) = 0;
  /// Whether a lane on such an engine may run in this queue's own order instead of on a queue of
  /// its own.
  [[nodiscard]] virtual bool serves(plan::Engine engine) const = 0;
  /// What is recorded from now on belongs to `lane`, which this queue serves: copies go where the
  /// lane says, timelines show its label. nullptr: to the queue itself again. `lane` must stay in
  /// place until then.
  virtual void act_as(const QueueSpec* lane) = 0;
  /// Hands what was recorded to the device. An exception leaves nothing recorded.
  virtual void submit() = 0;

  /// `capture()` of a queue whose capture has failed, and which takes nothing until it is ended.
  static constexpr std::uint64_t kBrokenCapture = std::numeric_limits<std::uint64_t>::max();
  /// 0 unless what is submitted now goes into a graph, to be run when that is launched, instead of
  /// to the device; then a number that queues have in common whose work goes into the same graph.
  /// A queue whose `after` names one of them joins it when it next submits. Timestamps, and tasks
  /// that report to the host, cannot be captured. Throws InputError for a queue that cannot be used
  /// now because of a capture elsewhere.
  [[nodiscard]] virtual std::uint64_t capture() const = 0;
  [[nodiscard]] bool capturing() const { return capture() != 0; }
  /// Keeps `what` until the graph that this queue's work goes into, and everything made from it, is
  /// gone and no longer runs. The last owner is then let go on any thread, where no call of the
  /// device's library is allowed. Throws InputError for a queue that is not being captured.
  virtual void keep(std::shared_ptr<void> what) = 0;

  /// Host-side wait until everything submitted has run, at most `limit`. False: the limit passed.
  /// Rethrows the first error of a task.
  [[nodiscard]] virtual bool synchronize(std::chrono::nanoseconds limit) = 0;

  /// The vendor's stream that it enqueues on; nullptr where there is none.
  [[nodiscard]] virtual void* native() const { return nullptr; }
};

}  // namespace conccl::backend
