// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The byte check of `conccl bench`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/collective_bench_timer.hpp"

namespace conccl::bench {

/// What checked runs found, over all ranks.
struct Findings {
  std::uint64_t wrong = 0;  ///< elements
  std::string first;        ///< one line for the first wrong byte; empty: none
};

/// What was checked.
struct CheckedCall {
  std::string library;
  plan::Request request;
  Bytes element = 1;
};

/// Runs calls on new inputs. Every process of a run makes the same calls and gets the same answers.
class CallChecker {
 public:
  /// All must outlive the checker. `seed`: of the first round's bytes.
  CallChecker(Ranks& ranks, const BenchBuffers& buffers, CallTimer& timer, std::uint64_t seed)
      : ranks_(ranks), buffers_(buffers), timer_(timer), round_(seed) {}

  /// The least that the method can run, with new inputs and poisoned outputs. All that the call
  /// promises is compared, behind a collective on the same stream. After RunError nothing queued
  /// names a buffer, and the ranks are of no use.
  void check(TimedCall& timed, const CheckedCall& what, Findings& findings);

 private:
  [[nodiscard]] std::vector<backend::Stretch> promised(std::size_t local, Call::Kind kind,
                                                       const plan::Request& request) const;
  void enqueue_inputs(const plan::Request& request);
  void enqueue_compares(Call::Kind kind, const plan::Request& request);
  void run(TimedCall& timed, const plan::Request& request);
  void run_task(std::size_t local, std::unique_ptr<backend::Task> task);

  Ranks& ranks_;
  const BenchBuffers& buffers_;
  CallTimer& timer_;
  std::uint64_t round_;
  std::vector<backend::Comparison> results_;  ///< by local rank
  std::vector<std::unique_ptr<backend::Task>> tasks_;
};

}  // namespace conccl::bench
