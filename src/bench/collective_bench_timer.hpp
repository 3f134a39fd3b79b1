// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// How `conccl bench` makes and times calls.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "bench/collective_bench_calls.hpp"
#include "conccl/backend/cuda.hpp"

namespace conccl::bench {

using Microseconds = std::chrono::duration<double, std::micro>;

/// Per call. `device` is 0 for `CallMethod::host`.
struct CallTime {
  Microseconds host{};
  Microseconds device{};
};

/// A call as one method makes it.
class TimedCall {
 public:
  /// Collective. `iterations`: how many calls a graph has.
  TimedCall(const Ranks& ranks, std::unique_ptr<Call> call, CallMethod method, int iterations);

  [[nodiscard]] CallMethod method() const { return method_; }
  [[nodiscard]] Call& call() const { return *call_; }
  /// Enqueues the least that the method can: a call, or the graph.
  void enqueue();

 private:
  void capture(const Ranks& ranks, std::size_t local, int iterations);

  std::unique_ptr<Call> call_;
  CallMethod method_;
  std::vector<std::unique_ptr<backend::cuda::Graph>> graphs_;  ///< by local rank
};

/// Times calls on all ranks. Every process of a run makes the same calls and gets the same answers.
class CallTimer {
 public:
  /// Both must outlive the timer, and the timer the queues of what it times; `interrupt` may be
  /// null.
  CallTimer(Ranks& ranks, const std::atomic<bool>* interrupt)
      : ranks_(ranks),
        interrupt_(interrupt),
        starts_(ranks.local_count()),
        ends_(ranks.local_count()) {}

  /// `iterations` calls from a common start, of the slowest rank; a graph runs all it has. Throws
  /// Interrupted once what was enqueued has run; after RunError the ranks are of no use.
  [[nodiscard]] CallTime time(TimedCall& timed, int iterations);
  /// Waits for every rank. Throws Interrupted when any process is asked to stop.
  void meet();

 private:
  [[nodiscard]] bool interrupted();
  [[nodiscard]] std::vector<CallTime> time_local(TimedCall& timed, int iterations);
  [[nodiscard]] Microseconds each_awaited(Call& call, int iterations);
  [[nodiscard]] std::vector<CallTime> back_to_back(TimedCall& timed, int iterations);
  void enqueue_all(TimedCall& timed, int iterations);

  Ranks& ranks_;
  const std::atomic<bool>* interrupt_;
  std::vector<backend::Timestamp> starts_;  ///< by local rank
  std::vector<backend::Timestamp> ends_;
};

}  // namespace conccl::bench
