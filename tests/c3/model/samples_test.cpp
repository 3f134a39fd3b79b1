// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "c3/model/samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "conccl/c3/model/profile_fit.hpp"

namespace conccl::c3 {
namespace {

using plan::Collective;
using testing::ElementsAre;
using testing::Pair;

constexpr GemmSpec kFirst{{64, 64, 64}};
constexpr GemmSpec kSecond{{32, 32, 32}};

Sample took(double ms) {
  Sample sample;
  sample.ms = {ms, ms / 2, ms * 2, 3};
  return sample;
}

Sample gemm_took(const GemmSpec& gemm, int given_up, double ms, std::string_view how = "") {
  Sample sample = took(ms);
  sample.gemm = gemm;
  sample.budget = given_up;
  sample.how = how;
  return sample;
}

Sample collective_took(const CarriedBy& which, Bytes bytes, double ms) {
  Sample sample = took(ms);
  sample.kind = Sample::Kind::collective;
  sample.collective = which.collective;
  sample.how = which.how;
  sample.budget = which.budget;
  sample.bytes = bytes;
  return sample;
}

Sample together_took(std::string_view strategy, int budget, Bytes bytes, double ms) {
  Sample sample = gemm_took(kFirst, budget, ms, strategy);
  sample.kind = Sample::Kind::together;
  sample.bytes = bytes;
  return sample;
}

TEST(GemmTimes, AreMediansByUnitsGivenUpInOrderOfAppearance) {
  const std::array samples{gemm_took(kFirst, 0, 5),  gemm_took(kSecond, 0, 1),
                           gemm_took(kFirst, 8, 7),  gemm_took(kFirst, 0, 9),
                           gemm_took(kFirst, 0, 6),  gemm_took(kFirst, 8, 8),
                           gemm_took(kSecond, 4, 2), together_took("conccl", 0, 64, 100)};
  const auto times = gemm_times(samples);
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].gemm, kFirst);
  EXPECT_EQ(times[0].alone(), 6);
  EXPECT_THAT(times[0].slowdown, ElementsAre(Pair(0, 1.0), Pair(8, 1.25)));
  EXPECT_EQ(times[1].gemm, kSecond);
  EXPECT_THAT(times[1].slowdown, ElementsAre(Pair(0, 1.0), Pair(4, 2.0)));
}

/// Rounds are told apart by the part of their time in which GEMMs ran.
TEST(GemmTimes, SlowdownsAreOverTheWholeDeviceInTheSameRounds) {
  std::array samples{gemm_took(kFirst, 0, 5), gemm_took(kFirst, 8, 10), gemm_took(kFirst, 0, 7)};
  samples[2].gemm_share = 0.5;
  const auto times = gemm_times(samples);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].in_rounds, 6);
  EXPECT_EQ(times[0].slowdown.at(8), 2);
}

TEST(GemmTimes, AreAtRestWhereTheyWereTimedSo) {
  const std::array samples{gemm_took(kFirst, 0, 5), gemm_took(kFirst, 0, 4, kRested)};
  const auto times = gemm_times(samples);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].in_rounds, 5);
  EXPECT_EQ(times[0].alone(), 4);
}

TEST(GemmTimes, SpreadOverAllRoundsOnTheWholeDevice) {
  const std::array samples{gemm_took(kFirst, 0, 5), gemm_took(kFirst, 8, 100),
                           gemm_took(kFirst, 0, 4), gemm_took(kFirst, 0, 100, kSustained)};
  const auto times = gemm_times(samples);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].spread.min, 2);
  EXPECT_EQ(times[0].spread.max, 10);
  EXPECT_EQ(times[0].spread.n, 6u);
}

TEST(GemmTimes, LeaveOutRunsBackToBackAndWhatWasNeverAlone) {
  const std::array samples{gemm_took(kFirst, 0, 5), gemm_took(kFirst, 0, 50, kSustained),
                           gemm_took(kSecond, 8, 1)};
  const auto times = gemm_times(samples);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].gemm, kFirst);
  EXPECT_EQ(times[0].alone(), 5);
}

TEST(CollectiveTimes, AreMediansByBytesOfOneWayToCarryIt) {
  const CarriedBy dma{Collective::all_gather, kOnDma, 0};
  const CarriedBy kernels{Collective::all_gather, kOnKernels, 0};
  const CarriedBy held{Collective::all_gather, kOnKernels, 4};
  const CarriedBy other{Collective::all_to_all, kOnDma, 0};
  const std::array samples{
      collective_took(dma, 64, 3),    collective_took(dma, 64, 1),
      collective_took(dma, 64, 9),    collective_took(dma, 32, 2),
      collective_took(held, 64, 20),  collective_took(kernels, 64, 10),
      collective_took(other, 64, 30), together_took("dma", 0, 64, 1000),
  };
  EXPECT_THAT(collective_times(samples, dma), ElementsAre(Pair(32u, 2.0), Pair(64u, 3.0)));
  EXPECT_THAT(collective_times(samples, kernels), ElementsAre(Pair(64u, 10.0)));
  EXPECT_THAT(collective_times(samples, held), ElementsAre(Pair(64u, 20.0)));
  EXPECT_THAT(collective_times(samples, other), ElementsAre(Pair(64u, 30.0)));
  EXPECT_TRUE(collective_times(samples, {Collective::all_to_all, kOnKernels, 0}).empty());
}

TEST(KernelLimits, AreThoseOfTheCollectivesKernelsAscendingOnce) {
  const std::array samples{
      collective_took({Collective::all_gather, kOnKernels, 16}, 64, 1),
      collective_took({Collective::all_gather, kOnKernels, 4}, 64, 1),
      collective_took({Collective::all_gather, kOnKernels, 16}, 32, 1),
      collective_took({Collective::all_gather, kOnKernels, 0}, 64, 1),
      collective_took({Collective::all_gather, kOnDma, 2}, 64, 1),
      collective_took({Collective::all_to_all, kOnKernels, 8}, 64, 1),
  };
  EXPECT_THAT(kernel_limits(samples, Collective::all_gather), ElementsAre(4, 16));
  EXPECT_THAT(kernel_limits(samples, Collective::all_to_all), ElementsAre(8));
}

TEST(RowsOf, HaveTheIsolatedTimesOfTheirOwnForm) {
  const std::array samples{gemm_took(kFirst, 0, 5),
                           collective_took({Collective::all_gather, kOnDma, 0}, 64, 3),
                           collective_took({Collective::all_gather, kOnKernels, 0}, 64, 2),
                           together_took("conccl_rp", 8, 64, 6), together_took("c3_sp", 0, 64, 7)};
  const auto rows = rows_of(samples, 4);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].strategy, "conccl_rp");
  EXPECT_EQ(rows[0].budget, 8);
  EXPECT_EQ(rows[0].gemm, kFirst);
  EXPECT_EQ(rows[0].bytes, 64u);
  EXPECT_EQ(rows[0].ranks, 4);
  EXPECT_EQ(rows[0].times.t_gemm_ms, 5);
  EXPECT_EQ(rows[0].times.t_comm_ms, 3);
  EXPECT_EQ(rows[0].times.t_c3_ms, 6);
  EXPECT_EQ(rows[1].strategy, "c3_sp");
  EXPECT_EQ(rows[1].times.t_comm_ms, 2);
}

TEST(RowsOf, SkipWhatHasNoIsolatedTimesOrNoKnownStrategy) {
  Sample other_gemm = together_took("conccl", 0, 64, 7);
  other_gemm.gemm = kSecond;
  const std::array samples{gemm_took(kFirst, 0, 5),
                           gemm_took(kSecond, 8, 5),
                           collective_took({Collective::all_gather, kOnDma, 0}, 64, 3),
                           collective_took({Collective::all_gather, kOnKernels, 4}, 64, 3),
                           other_gemm,
                           together_took("conccl", 0, 32, 1),
                           together_took("c3_sp", 0, 64, 2),
                           together_took("conccl sustained", 0, 64, 3),
                           together_took("conccl", 0, 64, 4)};
  const auto rows = rows_of(samples, 2);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].times.t_c3_ms, 4);
}

TEST(Rounded, KeepsSoManyDigits) {
  EXPECT_EQ(rounded(1.23456), 1.235);
  EXPECT_EQ(rounded(0.000123456), 0.0001235);
  EXPECT_EQ(rounded(123456), 123500);
  EXPECT_EQ(rounded(99.999), 100);
  EXPECT_EQ(rounded(1.26, 2), 1.3);
  EXPECT_EQ(rounded(0), 0);
}

TEST(Search, RoundsWhatItFinds) {
  double x = 0;
  search(std::array{Searched{&x, 0, 1}}, [&] { return std::abs(x - 1.0 / 3); }, 1);
  EXPECT_NEAR(x, 1.0 / 3, 1e-3);
  EXPECT_EQ(x, std::round(x * 1e4) / 1e4);
}

TEST(Search, FindsTheLeastErrorOfEachFigure) {
  double x = 0;
  double y = 0;
  const std::array figures{Searched{&x, 0, 8}, Searched{&y, -1, 1}};
  search(figures, [&] { return std::abs(x - 1.7) + std::abs(y - 0.31); }, 1);
  EXPECT_NEAR(x, 1.7, 8e-3);
  EXPECT_NEAR(y, 0.31, 2e-3);
}

TEST(Search, FindsTheDeeperOfTwoDips) {
  double x = 0.2;
  const auto error = [&] { return std::min(std::abs(x - 0.2) + 0.05, std::abs(x - 0.83)); };
  search(std::array{Searched{&x, 0, 1}}, error, 1);
  EXPECT_NEAR(x, 0.83, 1e-3);
}

TEST(Search, KeepsAValueWhereNoOtherIsBetter) {
  double x = 0.123;
  search(std::array{Searched{&x, 0, 1}}, [] { return 1.0; }, 3);
  EXPECT_EQ(x, 0.123);
  search(std::array{Searched{&x, 0, 1}}, [&] { return x == 0.123 ? 0.0 : 1.0; }, 3);
  EXPECT_EQ(x, 0.123);
}

TEST(Search, StaysInItsBounds) {
  double x = 3;
  double least = x;
  double most = x;
  const auto falling = [&] {
    least = std::min(least, x);
    most = std::max(most, x);
    return -x;
  };
  search(std::array{Searched{&x, 2, 5}}, falling, 2);
  EXPECT_GE(least, 2);
  EXPECT_LE(most, 5);
  EXPECT_EQ(x, 5);
  search(std::array{Searched{&x, 2, 5}}, [&] { return x; }, 1);
  EXPECT_EQ(x, 2);
}

TEST(Search, ComesCloserInFurtherPassesWhereFiguresDependOnEachOther) {
  const auto left_after = [](int passes) {
    double x = 0;
    double y = 0;
    const auto error = [&] { return std::pow(x - y, 2) + std::pow(x + y - 6, 2) / 10; };
    search(std::array{Searched{&x, 0, 5}, Searched{&y, 0, 5}}, error, passes);
    return error();
  };
  EXPECT_LT(left_after(4), left_after(1) / 2);
  EXPECT_LT(left_after(12), 0.05);
}

}  // namespace
}  // namespace conccl::c3
