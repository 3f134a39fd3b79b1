// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Attribution of losses whose causes are known.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "tests/bench/attribution/fake_machine.hpp"

namespace conccl::bench {
namespace {

using test::attribute_to;
using test::FakeMachine;
using test::Truth;

double cause(const Attribution& attribution, std::string_view name) {
  for (const auto& each : attribution.causes) {
    if (each.name == name) return each.ms;
  }
  ADD_FAILURE() << "no cause " << name;
  return -1;
}

std::vector<std::string> names(const Attribution& attribution) {
  std::vector<std::string> list;
  for (const auto& each : attribution.causes) list.push_back(each.name);
  return list;
}

TEST(Attribution, NothingIsLostWhereNothingSlowsAnything) {
  const auto result = attribute_to({});
  EXPECT_NEAR(result.loss.lost_ms, 0, 1e-9);
  EXPECT_FALSE(matters(result.loss));
  EXPECT_NEAR(result.unexplained_ms, 0, 1e-9);
  EXPECT_EQ(result.last, LastTask::gemm);
  EXPECT_EQ(result.rank, 1);
  EXPECT_EQ(explained_share(result), 0) << "of nothing";
}

TEST(Attribution, AClockThatFallsIsTheClock) {
  Truth truth;
  truth.together_ghz = 1.389;
  const auto result = attribute_to(truth);
  ASSERT_TRUE(result.clocks);
  EXPECT_NEAR(result.clocks->together_ghz, 1.389, 1e-9);
  EXPECT_NEAR(result.clocks->elasticity, 1, 0.02);
  const double lost = 1.5 * (1.5 / 1.389 - 1);
  EXPECT_NEAR(result.loss.lost_ms, lost, 1e-3);
  EXPECT_NEAR(cause(result, "clock"), lost, 2e-3);
  EXPECT_NEAR(cause(result, "cache and fabric"), 0, 1e-3);
  EXPECT_NEAR(cause(result, "memory"), 0, 1e-3);
  EXPECT_TRUE(matters(result.loss));
  EXPECT_GT(explained_share(result), 0.97);
}

TEST(Attribution, AMemoryBoundGemmLosesLittleToTheClock) {
  Truth truth;
  truth.together_ghz = 1.3;
  truth.elasticity = 0.2;
  const auto result = attribute_to(truth);
  EXPECT_NEAR(result.clocks->elasticity, 0.2, 0.02);
  EXPECT_NEAR(cause(result, "clock"), 1.5 * (std::pow(1.5 / 1.3, 0.2) - 1), 3e-3);
  EXPECT_GT(explained_share(result), 0.9);
}

TEST(Attribution, WhatStaysWithSmallCopiesIsCacheAndFabric) {
  Truth truth;
  truth.on_chip = 1.12;
  const auto result = attribute_to(truth);
  EXPECT_NEAR(cause(result, "cache and fabric"), 0.12 * 1.5, 2e-3);
  EXPECT_NEAR(cause(result, "memory"), 0, 2e-3);
  EXPECT_NEAR(cause(result, "clock"), 0, 1e-9);
  EXPECT_GT(explained_share(result), 0.97);
}

TEST(Attribution, WhatGoesWithSmallCopiesIsMemory) {
  Truth truth;
  truth.memory = 1.08;
  const auto result = attribute_to(truth);
  EXPECT_NEAR(cause(result, "cache and fabric"), 0, 2e-3);
  EXPECT_NEAR(cause(result, "memory"), 0.08 * 1.5, 2e-3);
  EXPECT_GT(explained_share(result), 0.97);
}

TEST(Attribution, CopiesThatFitOrCannotBeChangedAreOneCause) {
  Truth truth;
  truth.on_chip = 1.1;
  EXPECT_NEAR(cause(attribute_to(truth, Copies::fit), "cache and fabric"), 0.15, 2e-3);
  const auto opaque = attribute_to(truth, Copies::opaque);
  EXPECT_NEAR(cause(opaque, "contention"), 0.15, 2e-3);
  EXPECT_THAT(names(opaque), testing::ElementsAre("late launch", "clock", "contention"));
}

TEST(Attribution, ALateStartIsTheLaunchs) {
  Truth truth;
  truth.late_ms = 0.07;
  const auto result = attribute_to(truth);
  EXPECT_NEAR(cause(result, "late launch"), 0.07, 1e-9);
  EXPECT_NEAR(result.loss.lost_ms, 0.07, 1e-3);
  EXPECT_NEAR(result.unexplained_ms, 0, 1e-3);
}

TEST(Attribution, UnitsThatTheGemmGaveUpAreACause) {
  Truth truth;
  truth.units = 1.05;
  const auto result = attribute_to(truth);
  EXPECT_NEAR(cause(result, "fewer units"), 0.05 * 1.5, 1e-3);
  EXPECT_NEAR(result.unexplained_ms, 0, 2e-3);
}

TEST(Attribution, SlackIsWhatTheLastTaskHadInHand) {
  Truth truth;
  truth.comm_ms = 1.52;
  truth.on_chip = 1.1;
  const auto result = attribute_to(truth);
  EXPECT_EQ(result.last, LastTask::gemm);
  EXPECT_NEAR(result.slack_ms, 0.02, 1e-3);
  EXPECT_NEAR(result.loss.lost_ms, 0.15 - 0.02, 2e-3);
  EXPECT_NEAR(cause(result, "cache and fabric"), 0.15, 2e-3);
  EXPECT_GT(explained_share(result), 0.95);
}

TEST(Attribution, TheCollectiveHasCausesOfItsOwn) {
  Truth truth;
  truth.comm_ms = 3;
  truth.comm_power = 1.01;
  truth.comm_on_chip = 1.03;
  truth.comm_memory = 1.02;
  truth.flags_ms = 0.02;
  const auto result = attribute_to(truth);
  EXPECT_EQ(result.last, LastTask::comm);
  EXPECT_NEAR(cause(result, "flags"), 0.02, 1e-3);
  EXPECT_NEAR(cause(result, "power"), 3 * 1.03 * 1.02 * 0.01, 2e-3);
  EXPECT_NEAR(cause(result, "cache and fabric"), 3 * 0.03, 2e-3);
  EXPECT_NEAR(cause(result, "memory"), 3 * 1.03 * 0.02, 2e-3);
  EXPECT_GT(explained_share(result), 0.97);
}

TEST(Attribution, WhatNoRunShowsIsUnexplained) {
  auto probed = FakeMachine({}).probed();
  for (auto& round : probed.series[Probe::together]) {
    for (auto& rank : round) rank.gemm.end_ms += 0.2;
  }
  const auto result = attribute(probed);
  EXPECT_NEAR(result.loss.lost_ms, 0.2, 1e-3);
  EXPECT_NEAR(result.unexplained_ms, 0.2, 1e-3);
  EXPECT_NEAR(explained_share(result), 0, 0.01);
}

TEST(Attribution, CausesThatExplainTooMuchDoNotExplain) {
  Attribution result;
  result.loss.lost_ms = 1;
  result.unexplained_ms = -0.5;
  EXPECT_DOUBLE_EQ(explained_share(result), 0.5);
  result.unexplained_ms = -3;
  EXPECT_DOUBLE_EQ(explained_share(result), 0);
}

TEST(Attribution, WithoutCountersThereIsNoClock) {
  auto probed = FakeMachine({}).probed();
  for (auto& [probe, series] : probed.series) {
    for (auto& round : series) {
      for (auto& rank : round) rank.clock_ghz = 0;
    }
  }
  const auto result = attribute(probed);
  EXPECT_FALSE(result.clocks);
  EXPECT_THAT(result.notes, testing::ElementsAre("no clock counters here"));
  EXPECT_THAT(names(result), testing::Not(testing::Contains("clock")));
}

RC_GTEST_PROP(AttributionProperty, SmallCausesOfAnyMixtureAreFound, ()) {
  const auto upto = [](double most) { return *rc::gen::inRange(0, 1001) / 1000.0 * most; };
  Truth truth;
  truth.together_ghz = truth.alone_ghz * (1 - upto(0.08));
  truth.elasticity = upto(1);
  truth.on_chip = 1 + upto(0.08);
  truth.memory = 1 + upto(0.08);
  truth.late_ms = upto(0.03);
  const auto result = attribute_to(truth);
  // Causes add up but for products of two of them, readings and scatter.
  RC_ASSERT(std::abs(result.unexplained_ms) < 0.12 * result.loss.lost_ms + 0.004);
  RC_ASSERT(std::abs(cause(result, "late launch") - truth.late_ms) < 1e-9);
}

}  // namespace
}  // namespace conccl::bench
