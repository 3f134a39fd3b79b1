// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The C3 study: how a GEMM and a collective overlap under every strategy, every byte checked.
///
/// Where a vendor's library can run, its collectives run in the same rounds and on the same
/// buffers, and its kernels carry the kernel strategies (c3::strategies_beside).
///
/// Per scenario: sizes are fixed (on an emulating backend GEMMs are scaled down and bytes follow);
/// budgets are chosen on rounds of their own; then in each round every configuration runs once, in
/// an order shuffled by the seed. In each measured round inputs are new, outputs poisoned before
/// and compared in full behind the collective, and the GEMM's result must equal its isolated one.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conccl/backend/device.hpp"
#include "conccl/bench/report.hpp"
#include "conccl/c3/strategy.hpp"
#include "conccl/c3/suite.hpp"

namespace conccl::bench {

/// Sizes on an emulating backend: scaled so that a study ends in minutes, or as the suite says.
enum class SizePolicy { scaled, as_given };

/// Other libraries' collectives: those that can run here, or none.
enum class PeerPolicy { if_present, none };

/// Whether the vendor's tracer is asked what carried each collective, in rounds of its own.
enum class EvidencePolicy { if_present, none };

/// Whether timelines are recorded, in rounds of their own.
enum class TracePolicy { none, record };

/// Whether losses are attributed to causes, in rounds of their own.
enum class AttributionPolicy { if_lost, none };

/// `StudyOptions::rest` at most.
inline constexpr double kLongestRest = 100;

struct StudyOptions {
  c3::Suite suite;
  std::vector<std::string> strategies;  ///< names; empty: all that can run
  Launch launch = Launch::threads;
  int ranks = 4;
  int warmup = 6;
  int rounds = 9;
  int sweep_rounds = 3;  ///< rounds that choose budgets, after one of warm-up
  double rest = 0;       ///< how long the devices idle after each run and its check, over its time
  std::uint64_t seed = 1;
  SizePolicy sizes = SizePolicy::scaled;
  PeerPolicy peers = PeerPolicy::if_present;
  EvidencePolicy evidence = EvidencePolicy::if_present;  ///< never on an emulating backend
  TracePolicy trace = TracePolicy::none;
  AttributionPolicy attribution = AttributionPolicy::if_lost;  ///< never on an emulating backend
  Seconds sustained{0};           ///< above 0: how long each configuration runs back to back
  Milliseconds gemm_target{8.0};  ///< scaled: how long the GEMM should take
  Machine reference;              ///< scaled: whose t_comm / t_gemm each scenario keeps
  std::chrono::milliseconds deadline{30'000};
};

/// How far a study is; called on the study's own thread.
struct StudyProgress {
  std::size_t scenario = 0;
  std::size_t scenarios = 0;
  int round = 0;  ///< of this scenario, sweeps and warm-up included
  int rounds = 0;
  std::string_view name;
};

struct StudyHooks {
  std::function<void(const StudyProgress&)> progress;
  std::function<void(const Report&, const std::vector<Result>&)> scenario_done;
  const std::atomic<bool>* interrupt = nullptr;  ///< set: stop at the next configuration
};

/// Throws what `run_study` throws before anything runs: InputError for options that make no sense,
/// Unavailable with the reason where the backend has no GEMM for any scenario.
void check_study(const backend::Backend& backend, const StudyOptions& options);

/// Runs the study; scenarios whose GEMM the backend has not are `skipped`. Throws as `check_study`,
/// CheckFailed at the first wrong byte (naming scenario, strategy, rank, offset, expected and
/// found), RunError for a missed deadline, Interrupted. `report` holds at every moment what is
/// finished, and is `partial` until the end, so a caller can write it whatever happens. With
/// `Launch::processes` every process of the run calls it with the same options and gets the same
/// report.
void run_study(backend::Backend& backend, const StudyOptions& options, const StudyHooks& hooks,
               Report& report);

}  // namespace conccl::bench
