// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/linear_cost.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/core/support.hpp"

namespace conccl {
namespace {

using testing::HasSubstr;

double relative_error(const LinearCost& cost, const std::vector<CostSample>& samples) {
  double sum = 0;
  for (const CostSample& sample : samples) {
    const double time = static_cast<double>(sample.time.count());
    const double guess = cost.fixed_ns + cost.ns_per_byte * static_cast<double>(sample.bytes);
    sum += std::pow((guess - time) / time, 2);
  }
  return sum;
}

TEST(LinearCost, AddsALatencyAndAPricePerByte) {
  const LinearCost cost{1000, 0.5};
  EXPECT_EQ(cost.at(0), Nanoseconds(1000));
  EXPECT_EQ(cost.at(8), Nanoseconds(1004));
  EXPECT_EQ(cost.at(3), Nanoseconds(1002));
  EXPECT_EQ((LinearCost{0, 1e30}).at(kGiB), Nanoseconds::max());
}

TEST(LinearCost, KnowsTheLargestSizeWithinATime) {
  const LinearCost cost{1000, 0.5};
  EXPECT_EQ(cost.bytes_within(Nanoseconds(999)), 0U);
  EXPECT_EQ(cost.bytes_within(Nanoseconds(1000)), 0U);
  EXPECT_EQ(cost.bytes_within(Nanoseconds(1004)), 8U);
  EXPECT_EQ((LinearCost{0, 1e-30}).bytes_within(Nanoseconds(5)),
            Bytes{std::numeric_limits<std::int64_t>::max()});
}

TEST(LinearCost, HasNoLargestSizeWhenBytesAreFree) {
  EXPECT_THAT(input_error([] { (void)LinearCost{1000, 0}.bytes_within(Nanoseconds(2000)); }),
              HasSubstr("a byte costs 0 ns"));
  EXPECT_THROW((void)(LinearCost{1000, -1}).bytes_within(Nanoseconds(2000)), InputError);
}

RC_GTEST_PROP(FitLinearCost, RecoversAnExactLine, ()) {
  const LinearCost line{*rc::gen::inRange(0, 1'000'000) * 1.0, *rc::gen::inRange(1, 1000) * 1.0};
  std::vector<CostSample> samples;
  for (Bytes bytes = kKiB; bytes <= kGiB; bytes *= 4) samples.push_back({bytes, line.at(bytes)});
  const LinearCost fitted = fit_linear_cost(samples);
  RC_ASSERT(std::abs(fitted.fixed_ns - line.fixed_ns) <= 1e-6 * (line.fixed_ns + 1000));
  RC_ASSERT(std::abs(fitted.ns_per_byte - line.ns_per_byte) <= 1e-9 * line.ns_per_byte);
}

RC_GTEST_PROP(FitLinearCost, IsNotNegativeAndNoNeighbourIsBetter, ()) {
  const auto times = *rc::gen::container<std::vector<int>>(6, rc::gen::inRange(1, 100'000));
  std::vector<CostSample> samples;
  for (std::size_t i = 0; i < times.size(); ++i) {
    samples.push_back({Bytes{1} << (10 + i), Nanoseconds(times[i])});
  }
  const LinearCost fitted = fit_linear_cost(samples);
  RC_ASSERT(fitted.fixed_ns >= 0);
  RC_ASSERT(fitted.ns_per_byte >= 0);
  const double best = relative_error(fitted, samples) * (1 - 1e-9);
  for (const double da : {-0.5, 0.0, 0.5}) {
    for (const double db : {-1e-4, 0.0, 1e-4}) {
      const LinearCost other{fitted.fixed_ns + da, fitted.ns_per_byte + db};
      if (other.fixed_ns < 0 || other.ns_per_byte < 0) continue;
      RC_ASSERT(relative_error(other, samples) >= best);
    }
  }
}

TEST(FitLinearCost, HoldsTheCoefficientsAtZero) {
  const LinearCost falling =
      fit_linear_cost(std::vector<CostSample>{{kKiB, Nanoseconds(900)}, {kMiB, Nanoseconds(300)}});
  EXPECT_EQ(falling.ns_per_byte, 0);
  EXPECT_GT(falling.fixed_ns, 0);
  const LinearCost steep =
      fit_linear_cost(std::vector<CostSample>{{kKiB, Nanoseconds(1)}, {kMiB, Nanoseconds(9000)}});
  EXPECT_EQ(steep.fixed_ns, 0);
  EXPECT_GT(steep.ns_per_byte, 0);
}

TEST(FitLinearCost, RejectsSamplesThatFixNoLine) {
  const CostSample one{kKiB, Nanoseconds(10)};
  EXPECT_THROW((void)fit_linear_cost({}), InputError);
  EXPECT_THROW((void)fit_linear_cost(std::vector{one}), InputError);
  EXPECT_THAT(input_error([&] { (void)fit_linear_cost(std::vector{one, one, one}); }),
              HasSubstr("two different sizes; got 3 of one size"));
  const CostSample free{kMiB, Nanoseconds(0)};
  EXPECT_THAT(input_error([&] { (void)fit_linear_cost(std::vector{one, free}); }),
              HasSubstr("1048576 bytes took 0 ns"));
}

}  // namespace
}  // namespace conccl
