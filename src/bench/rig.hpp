// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The measuring rig: ranks with a stream each, started together, timed by the slowest.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "bench/ranks.hpp"
#include "conccl/plan/plan.hpp"

namespace conccl::bench {

/// One way to run something on all ranks.
struct Configuration {
  std::string name;
  plan::Request request;
  int flags = 0;
  std::vector<plan::RankPlan> lanes;  ///< by rank
};

/// Where a configuration's plan finds its buffers and its GEMM, by local rank.
struct RankWork {
  const void* send = nullptr;
  void* recv = nullptr;
  std::vector<backend::Task*> tasks;
};

/// Starts all ranks together and times them. Every process of a run makes the same calls.
class Rig {
 public:
  /// `ranks` and `interrupt` (may be null) must outlive the rig. `capabilities` of their backend.
  Rig(Ranks& ranks, const backend::Capabilities& capabilities, const std::atomic<bool>* interrupt);
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  [[nodiscard]] Ranks& ranks() const { return ranks_; }

  /// Registers one buffer per local rank as a window, so that runs need no exchange.
  void register_windows(const std::vector<backend::Memory>& buffers);
  void drop_windows();

  /// Runs `configuration` once on all ranks from a common start; `behind`, by local rank, where
  /// given, is enqueued behind it on the same stream, outside the timed span. Where ranks share
  /// units it also waits for the other ranks' runs, which it would slow down. Returns the time from
  /// the start to the end of the last lane of the slowest rank; where every device has a clock of
  /// its own, each rank's start is when its stream was let go. Throws RunError when a rank misses
  /// the deadline or the communicator fails, Interrupted when any process is asked to stop.
  [[nodiscard]] Nanoseconds run(const Configuration& configuration,
                                const std::vector<RankWork>& work,
                                const std::vector<backend::Task*>& behind = {});

  /// When the lanes of the last run started and ended, counted from when their rank was let go; by
  /// rank, then lane. Collective.
  [[nodiscard]] std::vector<std::vector<backend::LaneTimes>> lane_times();

  /// Runs one task per entry on its local rank's stream and waits for all. Not collective.
  void run_tasks(const std::vector<std::vector<backend::Task*>>& tasks_by_rank);

 private:
  /// When a rank was let go, and when the last of its lanes ended.
  struct Span {
    Nanoseconds start{};
    Nanoseconds end{};
  };

  void enqueue(const Configuration& configuration, const std::vector<RankWork>& work,
               const std::vector<backend::Task*>& behind);
  void enqueue_behind(const std::vector<backend::Task*>& behind);
  [[nodiscard]] std::vector<Span> run_local(const Configuration& configuration,
                                            const std::vector<RankWork>& work,
                                            const std::vector<backend::Task*>& behind);
  /// After a failure: nothing queued may outlive the buffers it names. The rig is of no use then.
  void drain(const std::exception& error) noexcept;
  [[nodiscard]] Ranks::Wish wish() const;

  Ranks& ranks_;
  /// By rank, two flags each. Rank 0 raises kGo: ranks start together or not at all. Each raises
  /// its own kEnded.
  std::vector<backend::FlagBlock*> flags_;
  bool shared_units_;
  bool common_clock_;
  std::vector<std::vector<comm::Window>> windows_;      ///< each entry one per local rank
  std::vector<std::vector<backend::LaneTimes>> times_;  ///< by local rank
  std::vector<backend::Timestamp> starts_;              ///< by local rank
  std::vector<Nanoseconds> released_;                   ///< by rank: when the last run let it go
  std::vector<std::size_t> lane_counts_;                ///< by rank, of the last run
  const std::atomic<bool>* interrupt_;
  Ranks::Wish agreed_ = Ranks::Wish::go_on;  ///< of the last run
  std::uint64_t runs_ = 0;
};

}  // namespace conccl::bench
