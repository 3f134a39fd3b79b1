// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What is lost, and what measured times it is taken from.

#include <gtest/gtest.h>

#include "bench/attribution/probes.hpp"
#include "conccl/c3/strategy.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

TEST(Loss, IsAgainstTheLongerTaskAndHasASpread) {
  const std::vector<double> gemm{1, 1.1, 1.2};
  const std::vector<double> comm{2, 2, 2};
  const std::vector<double> c3{2.3, 2.5, 2.7};
  const Loss loss = loss_of({gemm, comm, c3, 1});
  EXPECT_NEAR(loss.lost_ms, 0.5, 1e-9);
  EXPECT_NEAR(loss.spread_ms, 0.2, 1e-9);
  EXPECT_FALSE(matters(loss));
  EXPECT_TRUE(matters({0.61, 0.2}));
  EXPECT_FALSE(matters({0.59, 0.2}));
}

TEST(Loss, IsNeverFinerThanTheClock) {
  const std::vector<double> times{1, 1, 1};
  const std::vector<double> c3{1.001, 1.001, 1.001};
  EXPECT_FALSE(matters(loss_of({times, times, c3, 1})));
}

TEST(Loss, OfNoRoundsIsRefused) { EXPECT_THROW((void)loss_of({}), InputError); }

TEST(ClockGhz, IsTheMeanOverUnitsThatWereReadTwice) {
  const std::vector<backend::CycleReading> before{{0, 1000, 100}, {1, 5000, 100}, {2, 1, 100}};
  const std::vector<backend::CycleReading> after{{1, 7000, 1100}, {0, 2000, 1100}, {9, 5, 1100}};
  EXPECT_DOUBLE_EQ(*clock_ghz(before, after), 1.5);
  EXPECT_FALSE(clock_ghz(before, {}));
  EXPECT_FALSE(clock_ghz(after, before)) << "time goes forward";
}

TEST(RankTimes, LanesButTheGemmsAreTheCollectives) {
  plan::RankPlan lanes;
  lanes.lanes.resize(3);
  lanes.lanes[0].label = "comm0";
  lanes.lanes[1].label = c3::kGemmTask;
  lanes.lanes[2].label = "own";
  const auto ms = [](int value) { return Nanoseconds(value * 1'000'000); };
  const std::vector<backend::LaneTimes> times{{ms(2), ms(5)}, {ms(1), ms(9)}, {ms(3), ms(7)}};
  const RankTimes result = rank_times(lanes, times);
  EXPECT_DOUBLE_EQ(result.gemm.start_ms, 1);
  EXPECT_DOUBLE_EQ(result.gemm.end_ms, 9);
  EXPECT_DOUBLE_EQ(result.comm.start_ms, 2);
  EXPECT_DOUBLE_EQ(result.comm.end_ms, 7);
}

}  // namespace
}  // namespace conccl::bench
