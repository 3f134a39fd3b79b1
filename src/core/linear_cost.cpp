// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/linear_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "conccl/core/errors.hpp"

namespace conccl {
namespace {

// 2^63 is a double; the largest value of either type is not, and converting it would overflow.
constexpr double kTooLarge = 9223372036854775808.0;

/// Sums of the normal equations in the variables u = 1/t (for a) and v = bytes/t (for b), with 1 as
/// the wanted value of a*u + b*v.
struct Normal {
  double uu = 0;
  double uv = 0;
  double vv = 0;
  double u = 0;
  double v = 0;
};

void check(std::span<const CostSample> samples) {
  for (const CostSample& sample : samples) {
    if (sample.time.count() <= 0) {
      throw InputError(fmt::format("a cost sample of {} bytes took {} ns; expected more than zero",
                                   sample.bytes, sample.time.count()));
    }
  }
  const auto differs = [&](const CostSample& s) { return s.bytes != samples.front().bytes; };
  if (std::none_of(samples.begin(), samples.end(), differs)) {
    throw InputError(fmt::format(
        "a linear cost needs samples of two different sizes; got {} of one size", samples.size()));
  }
}

/// `scale` brings the sizes near one, which keeps the determinant well away from rounding.
Normal normal_equations(std::span<const CostSample> samples, double scale) {
  Normal n;
  for (const CostSample& sample : samples) {
    const double u = 1.0 / static_cast<double>(sample.time.count());
    const double v = static_cast<double>(sample.bytes) / scale * u;
    n.uu += u * u;
    n.uv += u * v;
    n.vv += v * v;
    n.u += u;
    n.v += v;
  }
  return n;
}

double largest_size(std::span<const CostSample> samples) {
  const auto smaller = [](const CostSample& a, const CostSample& b) { return a.bytes < b.bytes; };
  return static_cast<double>(std::max_element(samples.begin(), samples.end(), smaller)->bytes);
}

}  // namespace

Nanoseconds LinearCost::at(Bytes bytes) const {
  const double time = std::round(fixed_ns + ns_per_byte * static_cast<double>(bytes));
  return time >= kTooLarge ? Nanoseconds::max() : Nanoseconds(static_cast<Nanoseconds::rep>(time));
}

Bytes LinearCost::bytes_within(Nanoseconds time) const {
  if (!(ns_per_byte > 0)) {
    throw InputError(
        fmt::format("no size follows from a time when a byte costs {} ns; expected more than zero",
                    ns_per_byte));
  }
  const double size = std::floor((static_cast<double>(time.count()) - fixed_ns) / ns_per_byte);
  if (!(size > 0)) return 0;
  if (size >= kTooLarge) return std::numeric_limits<std::int64_t>::max();
  return static_cast<Bytes>(size);
}

LinearCost fit_linear_cost(std::span<const CostSample> samples) {
  check(samples);
  const double scale = largest_size(samples);
  const Normal n = normal_equations(samples, scale);
  const double determinant = n.uu * n.vv - n.uv * n.uv;
  const double a = (n.u * n.vv - n.v * n.uv) / determinant;
  const double b = (n.v * n.uu - n.u * n.uv) / determinant;
  // The error is convex: with one coefficient out of bounds the best lies on that bound.
  if (!(a >= 0)) return {0, n.v / n.vv / scale};
  if (!(b >= 0)) return {n.u / n.uu, 0};
  return {a, b / scale};
}

}  // namespace conccl
