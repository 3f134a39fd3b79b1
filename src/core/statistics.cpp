// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string_view>

#include "conccl/core/errors.hpp"

namespace conccl {
namespace {

void require_values(std::size_t count, std::string_view what) {
  if (count == 0) {
    throw InputError(fmt::format("the {} of no values is undefined; expected at least one", what));
  }
}

/// Halves first: the sum of two large values may not fit.
double midpoint(double a, double b) { return a == b ? a : 0.5 * a + 0.5 * b; }

/// Linear between the two nearest order statistics.
double quantile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  if (sorted[below] == sorted[above]) return sorted[below];
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

/// Uniform below `limit`. Written out because the standard leaves the algorithm of its own
/// distribution open, and a printed seed must give the same interval everywhere.
std::size_t draw_below(std::mt19937_64& generator, std::size_t limit) {
  constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t usable = kAll - kAll % limit;
  std::uint64_t value = generator();
  while (value >= usable) value = generator();
  return static_cast<std::size_t>(value % limit);
}

void check(std::size_t rounds, const BootstrapOptions& options) {
  require_values(rounds, "bootstrap interval");
  if (options.resamples == 0) {
    throw InputError("a bootstrap interval needs at least one resample; got 0");
  }
  if (!(options.level > 0 && options.level < 1)) {
    throw InputError(
        fmt::format("the level of an interval is {}; expected between 0 and 1", options.level));
  }
}

}  // namespace

Summary summarize(std::span<const double> values) {
  require_values(values.size(), "summary");
  const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
  return {median(values), *smallest, *largest, values.size()};
}

double median(std::span<const double> values) {
  require_values(values.size(), "median");
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : midpoint(sorted[middle - 1], sorted[middle]);
}

double mean(std::span<const double> values) {
  require_values(values.size(), "mean");
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double trimmed_mean(std::span<const double> values) {
  require_values(values.size(), "trimmed mean");
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t out = sorted.size() / 10;
  return mean(std::span(sorted).subspan(out, sorted.size() - 2 * out));
}

double geometric_mean(std::span<const double> values) {
  require_values(values.size(), "geometric mean");
  double sum = 0;
  for (const double value : values) {
    if (!(value > 0)) {
      throw InputError(
          fmt::format("the geometric mean needs values above zero; one of them is {}", value));
    }
    sum += std::log(value);
  }
  return std::exp(sum / static_cast<double>(values.size()));
}

Interval bootstrap(std::size_t rounds,
                   const std::function<double(std::span<const std::size_t>)>& statistic,
                   const BootstrapOptions& options) {
  check(rounds, options);
  std::mt19937_64 generator(options.seed);
  std::vector<std::size_t> drawn(rounds);
  std::vector<double> values(options.resamples);
  for (double& value : values) {
    for (std::size_t& round : drawn) round = draw_below(generator, rounds);
    value = statistic(drawn);
  }
  std::sort(values.begin(), values.end());
  const double tail = (1 - options.level) / 2;
  return {quantile(values, tail), quantile(values, 1 - tail)};
}

}  // namespace conccl
