// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Statistics of measured rounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace conccl {

/// Median, smallest and largest of `n` values, in the unit of the values.
struct Summary {
  double median = 0;
  double min = 0;
  double max = 0;
  std::size_t n = 0;
};

/// Throws InputError when `values` is empty.
[[nodiscard]] Summary summarize(std::span<const double> values);

/// Median; the mean of the middle two for an even count. Throws InputError when empty.
[[nodiscard]] double median(std::span<const double> values);

[[nodiscard]] double mean(std::span<const double> values);

/// Mean of what remains without the lowest and the highest tenth (rounded down). Unlike the median
/// it adds up: of a sum it is nearly the sum of the parts', also where values lie in two heaps.
/// Throws InputError when empty.
[[nodiscard]] double trimmed_mean(std::span<const double> values);

/// Geometric mean. Throws InputError when empty or when a value is not positive.
[[nodiscard]] double geometric_mean(std::span<const double> values);

struct Interval {
  double low = 0;
  double high = 0;
};

/// How an interval is made: `level` of the resamples lie in it.
struct BootstrapOptions {
  double level = 0.95;
  std::size_t resamples = 1000;
  std::uint64_t seed = 1;
};

/// Percentile bootstrap over whole rounds: draws `rounds` round numbers with replacement, hands
/// them to `statistic`, and returns the interval of its values. `statistic` sees the same round
/// numbers for every configuration, which is what makes the comparison paired.
[[nodiscard]] Interval bootstrap(
    std::size_t rounds, const std::function<double(std::span<const std::size_t>)>& statistic,
    const BootstrapOptions& options);

}  // namespace conccl
