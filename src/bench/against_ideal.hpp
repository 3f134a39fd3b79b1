// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// From the rounds of three configurations to a percent of ideal with its interval.
#pragma once

#include <cstddef>
#include <span>

#include "conccl/bench/report.hpp"

namespace conccl::bench {

/// One time per round; the same index is the same round in all three.
struct PairedTimes {
  std::span<const double> gemm_ms;
  std::span<const double> comm_ms;
  std::span<const double> c3_ms;
  std::uint64_t seed = 1;
};

/// The median over `rounds`, indices into `values`, which may name a round more than once.
[[nodiscard]] double median_of(std::span<const double> values, std::span<const std::size_t> rounds);

/// Medians over rounds; the interval resamples whole rounds.
[[nodiscard]] AgainstIdeal against_ideal(const PairedTimes& times);

}  // namespace conccl::bench
