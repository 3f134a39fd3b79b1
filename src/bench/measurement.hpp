// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Rounds: every configuration once per round, in a shuffled order.
#pragma once

#include <functional>
#include <random>
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
};

/// Runs the rounds, every measured one checked; `after_round` is called after each, warm-up
/// included.
void measure_rounds(Workload& workload, std::vector<Measurement>& measurements,
                    const RoundOptions& options, std::mt19937_64& random,
                    const std::function<void()>& after_round);

}  // namespace conccl::bench
