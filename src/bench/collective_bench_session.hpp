// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// One run of `conccl bench`: who runs, and the rounds of each size.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "bench/collective_bench_check.hpp"
#include "bench/peers/peers.hpp"

namespace conccl::bench {

/// Every process of a run makes the same calls.
class BenchSession {
 public:
  /// Collective; all arguments must outlive the session.
  BenchSession(Ranks& ranks, Peers& peers, const CollectiveBenchOptions& options,
               const BenchHooks& hooks);

  /// As `run_collective_bench`; peers have given up after an exception.
  void run(BenchRun& run);

 private:
  /// A library by one method in one placement, and what was found of it.
  struct Configuration {
    std::string library;
    plan::Request request;
    TimedCall timed;
    std::vector<double> host_us;
    std::vector<double> device_us;
    Findings findings;
  };

  void add_libraries();
  void describe(BenchRun& run) const;
  [[nodiscard]] std::vector<Configuration> configurations(Bytes block);
  void measure(std::vector<Configuration>& configurations);
  void check(std::vector<Configuration>& configurations);
  [[nodiscard]] BenchResult result_of(const Configuration& configuration) const;
  void run_size(Bytes bytes, BenchRun& run);
  void measure_enqueue(BenchRun& run);
  [[nodiscard]] EnqueueCost cost_of(Library& library, BenchBuffers::Kind kind,
                                    const plan::Request& request);
  [[nodiscard]] std::vector<std::size_t> shuffled(std::size_t count);

  Ranks& ranks_;
  Peers& peers_;
  const CollectiveBenchOptions& options_;
  const BenchHooks& hooks_;
  std::vector<Bytes> sizes_;
  std::mt19937_64 random_;
  CallTimer timer_;
  BenchBuffers buffers_;
  CallChecker checker_;
  std::vector<std::unique_ptr<Library>> libraries_;
};

}  // namespace conccl::bench
