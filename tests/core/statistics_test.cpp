// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/statistics.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "conccl/core/errors.hpp"

namespace conccl {
namespace {

using Rounds = std::span<const std::size_t>;

std::vector<double> any_values() {
  const auto whole = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<int>>(rc::gen::inRange(-1'000'000, 1'000'000)));
  return {whole.begin(), whole.end()};
}

TEST(Median, IsTheMiddleOrTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median(std::vector{3.0}), 3.0);
  EXPECT_EQ(median(std::vector{9.0, 1.0, 2.0}), 2.0);
  EXPECT_EQ(median(std::vector{4.0, 1.0, 2.0, 9.0}), 3.0);
  EXPECT_EQ(median(std::vector{1e308, 1.6e308}), 1.3e308);
}

TEST(Summary, HasMedianExtremesAndCount) {
  const Summary summary = summarize(std::vector{5.0, 1.0, 3.0});
  EXPECT_EQ(summary.median, 3.0);
  EXPECT_EQ(summary.min, 1.0);
  EXPECT_EQ(summary.max, 5.0);
  EXPECT_EQ(summary.n, 3U);
}

TEST(Means, AreArithmeticAndGeometric) {
  EXPECT_DOUBLE_EQ(mean(std::vector{1.0, 2.0, 6.0}), 3.0);
  EXPECT_DOUBLE_EQ(geometric_mean(std::vector{1.0, 8.0}), std::sqrt(8.0));
  EXPECT_NEAR(geometric_mean(std::vector(400, 1e300)) / 1e300, 1, 1e-9);
}

TEST(Means, TrimmedLeaveOutATenthOnEachSide) {
  EXPECT_DOUBLE_EQ(trimmed_mean(std::vector{3.0, 1.0, 2.0}), 2);
  std::vector<double> values{1000, -1000};
  for (int i = 0; i < 9; ++i) values.push_back(i);
  EXPECT_DOUBLE_EQ(trimmed_mean(values), 4);
}

TEST(Statistics, RejectNoValues) {
  EXPECT_THROW(static_cast<void>(trimmed_mean({})), InputError);
  EXPECT_THROW((void)summarize({}), InputError);
  EXPECT_THROW((void)median({}), InputError);
  EXPECT_THROW((void)mean({}), InputError);
  EXPECT_THROW((void)geometric_mean({}), InputError);
}

TEST(GeometricMean, RejectsWhatIsNotPositive) {
  EXPECT_THROW((void)geometric_mean(std::vector{1.0, 0.0}), InputError);
  EXPECT_THROW((void)geometric_mean(std::vector{1.0, -2.0}), InputError);
  EXPECT_THROW((void)geometric_mean(std::vector{std::nan("")}), InputError);
}

RC_GTEST_PROP(Summary, LiesBetweenItsExtremes, ()) {
  const auto values = any_values();
  const Summary summary = summarize(values);
  RC_ASSERT(summary.min <= summary.median);
  RC_ASSERT(summary.median <= summary.max);
  RC_ASSERT(std::count(values.begin(), values.end(), summary.min) > 0);
  RC_ASSERT(std::count(values.begin(), values.end(), summary.max) > 0);
  const auto n = static_cast<std::ptrdiff_t>(values.size());
  const auto at_most = [&](double v) { return v <= summary.median; };
  const auto at_least = [&](double v) { return v >= summary.median; };
  RC_ASSERT(2 * std::count_if(values.begin(), values.end(), at_most) >= n);
  RC_ASSERT(2 * std::count_if(values.begin(), values.end(), at_least) >= n);
}

RC_GTEST_PROP(Bootstrap, GivesTheSameIntervalForTheSameSeed, ()) {
  const auto values = any_values();
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto statistic = [&](Rounds rounds) {
    double sum = 0;
    for (const std::size_t round : rounds) sum += values[round];
    return sum;
  };
  const BootstrapOptions options{.level = 0.9, .resamples = 50, .seed = seed};
  const Interval first = bootstrap(values.size(), statistic, options);
  const Interval second = bootstrap(values.size(), statistic, options);
  RC_ASSERT(first.low == second.low);
  RC_ASSERT(first.high == second.high);
  RC_ASSERT(first.low <= first.high);
}

RC_GTEST_PROP(Bootstrap, IsThePointForConstantData, ()) {
  const auto rounds = *rc::gen::inRange<std::size_t>(1, 40);
  const double value = *rc::gen::inRange(-1000, 1000) / 7.0;
  const Interval interval = bootstrap(
      rounds, [&](Rounds drawn) { return median(std::vector<double>(drawn.size(), value)); },
      {.level = 0.95, .resamples = 20, .seed = 3});
  RC_ASSERT(interval.low == value);
  RC_ASSERT(interval.high == value);
}

RC_GTEST_PROP(Bootstrap, DrawsWholeRoundsAndAsManyAsThereAre, ()) {
  const auto rounds = *rc::gen::inRange<std::size_t>(1, 40);
  std::size_t calls = 0;
  (void)bootstrap(rounds,
                  [&](Rounds drawn) {
                    ++calls;
                    RC_ASSERT(drawn.size() == rounds);
                    for (const std::size_t round : drawn) RC_ASSERT(round < rounds);
                    return 0.0;
                  },
                  {.level = 0.95, .resamples = 25, .seed = 9});
  RC_ASSERT(calls == 25U);
}

TEST(Bootstrap, DrawsEveryRoundAndDiffersBetweenSeeds) {
  std::set<std::size_t> seen;
  std::vector<std::size_t> first;
  const auto note = [&](Rounds drawn) {
    seen.insert(drawn.begin(), drawn.end());
    if (first.empty()) first.assign(drawn.begin(), drawn.end());
    return 0.0;
  };
  (void)bootstrap(9, note, {.level = 0.95, .resamples = 100, .seed = 1});
  EXPECT_EQ(seen.size(), 9U);
  const std::vector<std::size_t> before = std::exchange(first, {});
  (void)bootstrap(9, note, {.level = 0.95, .resamples = 100, .seed = 2});
  EXPECT_NE(before, first);
}

/// The interval of a mean must be about as wide as the normal theory says.
TEST(Bootstrap, HasTheWidthOfTheStandardError) {
  std::vector<double> values(100);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  const Interval interval = bootstrap(values.size(),
                                      [&](Rounds drawn) {
                                        double sum = 0;
                                        for (const std::size_t round : drawn) sum += values[round];
                                        return sum / static_cast<double>(drawn.size());
                                      },
                                      {.level = 0.95, .resamples = 4000, .seed = 5});
  const double standard_error = 28.866 / 10;
  EXPECT_NEAR(interval.low, 49.5 - 1.96 * standard_error, 0.4);
  EXPECT_NEAR(interval.high, 49.5 + 1.96 * standard_error, 0.4);
}

TEST(Bootstrap, RejectsWhatHasNoInterval) {
  const auto zero = [](Rounds) { return 0.0; };
  EXPECT_THROW((void)bootstrap(0, zero, {}), InputError);
  EXPECT_THROW((void)bootstrap(3, zero, {.level = 0.95, .resamples = 0, .seed = 1}), InputError);
  EXPECT_THROW((void)bootstrap(3, zero, {.level = 0, .resamples = 9, .seed = 1}), InputError);
  EXPECT_THROW((void)bootstrap(3, zero, {.level = 1, .resamples = 9, .seed = 1}), InputError);
}

}  // namespace
}  // namespace conccl
