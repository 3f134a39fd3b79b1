// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The local ranks of one collective, on windows registered once.
#pragma once

#include <memory>
#include <vector>

#include "bench/ranks.hpp"
#include "conccl/bench/collective_bench.hpp"

namespace conccl::bench {

/// Owns the buffers of the local ranks. Every process of a run makes the same calls and gets the
/// same answers. After an exception nothing queued names a buffer or task any more, and the object
/// is of no use.
class CollectiveRanks {
 public:
  /// `largest_block`: bytes per pair of ranks of the largest request to come. `ranks` and
  /// `interrupt` (may be null) must outlive the object.
  CollectiveRanks(Ranks& ranks, const CollectiveBenchOptions& options, Bytes largest_block,
                  const std::atomic<bool>* interrupt);
  ~CollectiveRanks() = default;
  CollectiveRanks(const CollectiveRanks&) = delete;
  CollectiveRanks& operator=(const CollectiveRanks&) = delete;

  /// Enqueues `iterations` calls on every rank, back to back, and waits for all: the mean time of
  /// one, of the slowest process. Throws Interrupted once what was enqueued has run.
  [[nodiscard]] Nanoseconds time(const plan::Request& request, int iterations);

  /// One call with new inputs and poisoned outputs, every output byte compared behind it on the
  /// same stream; one comparison per rank.
  [[nodiscard]] std::vector<backend::Comparison> check(const plan::Request& request);

 private:
  void call(const plan::Request& request);
  void enqueue_check(const plan::Request& request, std::vector<backend::Comparison>& results,
                     std::vector<std::unique_ptr<backend::Task>>& tasks);
  void run_task(std::size_t local, std::unique_ptr<backend::Task> task,
                std::vector<std::unique_ptr<backend::Task>>& tasks);
  [[nodiscard]] Nanoseconds time_local(const plan::Request& request, int iterations);
  /// Whether any process is asked to stop. Collective.
  [[nodiscard]] bool interrupted();

  CollectiveBenchOptions options_;
  const std::atomic<bool>* interrupt_;
  Ranks& ranks_;
  std::vector<backend::Memory> send_;
  std::vector<backend::Memory> recv_;
  std::uint64_t round_;
};

}  // namespace conccl::bench
