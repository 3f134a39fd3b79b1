// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What runs take when they follow one another for seconds, so that the device is warm and its
/// power is limited, beside what they took in rounds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conccl/bench/check_counts.hpp"

namespace conccl::bench {

struct SustainedTime {
  std::string name;
  double mean_ms = 0;    ///< per run, slowest rank
  double rounds_ms = 0;  ///< the median of the measured rounds
  std::uint64_t runs = 0;
  double seconds = 0;  ///< of timed runs
  CheckCounts check;   ///< of one run behind each burst
};

/// The configurations of one scenario.
struct Sustained {
  std::string scenario;  ///< for people
  std::vector<SustainedTime> times;
};

/// A JSON object with every field.
[[nodiscard]] std::string to_json(const Sustained& sustained);
/// A line for the scenario and one per configuration.
[[nodiscard]] std::string to_text(const Sustained& sustained);

}  // namespace conccl::bench
