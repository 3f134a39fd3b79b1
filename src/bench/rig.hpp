// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The measuring rig: ranks with a stream each, started together, timed by the slowest.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "bench/local_ranks.hpp"
#include "conccl/plan/plan.hpp"

namespace conccl::bench {

/// One way to run something on all ranks.
struct Configuration {
  std::string name;
  plan::Request request;
  int flags = 0;
  std::vector<plan::RankPlan> lanes;  ///< by rank
};

/// Where a configuration's plan finds its buffers and its GEMM, by rank.
struct RankWork {
  const void* send = nullptr;
  void* recv = nullptr;
  std::vector<backend::Task*> tasks;
};

/// Starts all ranks together and times them.
class Rig {
 public:
  /// `interrupt` may be null; `backend` must outlive the rig.
  Rig(backend::Backend& backend, int ranks, std::chrono::milliseconds deadline,
      const std::atomic<bool>* interrupt);
  /// Lets go whatever still waits for a start, so that nothing hangs.
  ~Rig();
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  [[nodiscard]] int ranks() const { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] backend::Device& device(int rank) const { return ranks_.device(index(rank)); }

  /// Registers one buffer per rank as a window, so that runs need no exchange.
  void register_windows(const std::vector<backend::Memory>& buffers);
  void drop_windows();

  /// Runs `configuration` once on all ranks from a common start; `behind[rank]`, where given, is
  /// enqueued behind it on the same stream, outside the timed span. Where ranks share units it also
  /// waits for the other ranks' runs, which it would slow down. Returns the time from the start
  /// to the end of the last lane of the slowest rank. Throws RunError when a rank misses the
  /// deadline or the communicator fails, Interrupted when asked to stop.
  [[nodiscard]] Nanoseconds run(const Configuration& configuration,
                                const std::vector<RankWork>& work,
                                const std::vector<backend::Task*>& behind = {});

  /// Runs one task per entry on its rank's stream and waits for all.
  void run_tasks(const std::vector<std::vector<backend::Task*>>& tasks_by_rank);

 private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  void enqueue(const Configuration& configuration, const std::vector<RankWork>& work,
               const std::vector<backend::Task*>& behind);
  void enqueue_behind(const std::vector<backend::Task*>& behind);
  /// Lets every stream pass its waits for the start of `run` and for the other ranks' end.
  void release(std::uint64_t run) noexcept;
  /// After a failure: nothing queued may outlive the buffers it names. The rig is of no use then.
  void drain() noexcept;
  void require_not_interrupted() const;

  LocalRanks ranks_;
  std::unique_ptr<backend::FlagBlock> go_;  ///< one flag: ranks start together or not at all
  std::vector<std::unique_ptr<backend::FlagBlock>> ended_;  ///< by rank; empty: units not shared
  std::vector<std::vector<comm::Window>> windows_;          ///< each entry one per rank
  std::vector<std::vector<backend::LaneTimes>> times_;
  const std::atomic<bool>* interrupt_;
  std::uint64_t runs_ = 0;
};

}  // namespace conccl::bench
