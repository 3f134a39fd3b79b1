// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Rounds: every configuration once per round, in a shuffled order.
#pragma once

#include <functional>
#include <random>
#include <span>
#include <vector>

#include "bench/workload.hpp"

namespace conccl::bench {

/// A configuration and what was measured of it: one time per measured round.
struct Measurement {
  Configuration configuration;
  Parts parts;
  std::vector<double> times_ms;
  CheckCounts counts;
};

struct RoundOptions {
  int warmup = 0;
  int rounds = 0;
  double rest = 0;  ///< how long the devices idle after each run and its check, over its time
};

/// Runs the rounds, every measured one checked; `after_round` is called after each, warm-up
/// included. Returns how long the measured ones took by the host's clock, checks and rests
/// included.
Seconds measure_rounds(Workload& workload, std::vector<Measurement>& measurements,
                       const RoundOptions& options, std::mt19937_64& random,
                       const std::function<void()>& after_round);

/// The part of `span` in which GEMMs ran, each of which takes `gemm_ms` alone; at most 1. How much
/// a device's limit on power slows a long GEMM hangs on it.
[[nodiscard]] double gemm_share(std::span<const Measurement> measured, double gemm_ms,
                                Seconds span);

}  // namespace conccl::bench
