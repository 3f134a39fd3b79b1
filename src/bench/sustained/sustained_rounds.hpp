// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `SustainedRounds`: configurations back to back for seconds.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "bench/workload.hpp"
#include "conccl/bench/sustained.hpp"

namespace conccl::bench {

struct SustainedOptions {
  Seconds each{2};      ///< of timed runs per configuration
  Seconds burst{0.25};  ///< between two byte checks, about
  std::chrono::milliseconds deadline{30'000};
};

/// What runs, what is checked of it, and the median that rounds gave.
struct SustainedSubject {
  std::string name;
  Configuration configuration;
  Parts parts;
  double rounds_ms = 0;
};

/// Where it runs; all must outlive the rounds. `gemms` are the workload's, references kept;
/// `interrupt` may be null.
struct SustainedSite {
  Ranks& ranks;
  const Workload& workload;
  const std::vector<std::unique_ptr<backend::Gemm>>& gemms;
  const std::atomic<bool>* interrupt = nullptr;
};

/// Runs follow one another on the devices: the host enqueues ahead of them and waits for none. In
/// bursts, whose timed runs are followed by new inputs, a poisoned output, one more run and the
/// full compare, on the same stream. All calls are collective, and every process gets the same
/// figures. One thread at a time.
class SustainedRounds {
 public:
  explicit SustainedRounds(const SustainedSite& site, const SustainedOptions& options = {});
  SustainedRounds(const SustainedRounds&) = delete;
  SustainedRounds& operator=(const SustainedRounds&) = delete;

  /// Throws CheckFailed at the first wrong byte, RunError when a rank misses the deadline,
  /// Interrupted when any process is asked to stop.
  [[nodiscard]] SustainedTime run(const SustainedSubject& subject);

 private:
  struct Checks;

  /// The time of `chunks` times kChunk runs of the slowest rank.
  [[nodiscard]] Nanoseconds burst(const SustainedSubject& subject, int chunks, CheckCounts& counts);
  [[nodiscard]] Nanoseconds run_burst(const SustainedSubject& subject, int chunks, Checks& checks);
  /// All chunks but those that wait for the ranks to be let go.
  void follow(const SustainedSubject& subject, int chunks);
  void enqueue_chunk(const SustainedSubject& subject);
  void enqueue_run(const SustainedSubject& subject);
  /// Holds the host back where it is too far ahead of the devices.
  void keep_near();
  void check(const SustainedSubject& subject, const Checks& checks, CheckCounts& counts) const;

  SustainedSite site_;
  SustainedOptions options_;
  /// By rank, two flags each: rank 0 raises kGo, each rank's stream raises its own kProgress.
  std::vector<backend::FlagBlock*> flags_;
  std::uint64_t bursts_ = 0;
  std::uint64_t chunks_ = 0;  ///< enqueued so far
};

}  // namespace conccl::bench
