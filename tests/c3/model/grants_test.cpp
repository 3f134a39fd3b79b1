// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "c3/model/grants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "c3/model/slowdown.hpp"

namespace conccl::c3 {
namespace {

using plan::Priority;
using plan::Share;
using testing::DoubleEq;
using testing::ElementsAre;

UnitClaim wants(double units, const Share& share = {}, Priority priority = Priority::normal) {
  UnitClaim claim = claim_of(share, 100);
  claim.wanted = units;
  claim.priority = priority;
  return claim;
}

TEST(Grant, TheFirstTakesAllButWhatIsLeftToTheLate) {
  EXPECT_THAT(grant(std::vector{wants(100), wants(20)}, 0), ElementsAre(100, 0));
  EXPECT_THAT(grant(std::vector{wants(100), wants(20)}, 10), ElementsAre(90, 10));
  EXPECT_THAT(grant(std::vector{wants(100), wants(5)}, 10), ElementsAre(95, 5));
}

TEST(Grant, PriorityGoesBeforeOrder) {
  const std::vector claims{wants(100), wants(20, {}, Priority::high)};
  EXPECT_THAT(grant(claims, 10), ElementsAre(80, 20));
}

TEST(Grant, NothingIsLeftToALateOneOfLowerPriority) {
  const std::vector claims{wants(20), wants(100, {}, Priority::high)};
  EXPECT_THAT(grant(claims, 10), ElementsAre(0, 100));
}

TEST(Grant, PartitionsAreDisjoint) {
  const Share mine{Share::Kind::only, 30};
  const Share rest{Share::Kind::all_but, 30};
  EXPECT_THAT(grant(std::vector{wants(100, rest), wants(64, mine)}, 0), ElementsAre(70, 30));
  EXPECT_THAT(grant(std::vector{wants(64, mine), wants(100, rest)}, 10), ElementsAre(30, 70));
}

TEST(Grant, WhoMayUseAnyUnitLeavesThePartitionsUnitsForLast) {
  const Share mine{Share::Kind::only, 30};
  EXPECT_THAT(grant(std::vector{wants(60), wants(30, mine)}, 0), ElementsAre(60, 30));
}

TEST(Grant, WhatIsKeptIsNotGivenToOthers) {
  std::vector claims{wants(100), wants(20, {}, Priority::high)};
  claims[0].held = 95;
  claims[0].hold = UnitClaim::Hold::keeps;
  EXPECT_THAT(grant(claims, 0), ElementsAre(95, 5));
}

TEST(Grant, ALastWaveDoesNotGrow) {
  std::vector claims{wants(100)};
  claims[0].held = 40;
  claims[0].hold = UnitClaim::Hold::may_shrink;
  EXPECT_THAT(grant(claims, 0), ElementsAre(40));
}

const SlowdownTable kTable{{50, 2}, {80, 1.4}, {100, 1}};

TEST(TaskSpeed, IsLinearInTheFactorBetweenPoints) {
  EXPECT_THAT(task_speed(kTable, 65), DoubleEq(1 / 1.7));
  EXPECT_THAT(task_speed(kTable, 80), DoubleEq(1 / 1.4));
  EXPECT_EQ(task_speed(kTable, 100), 1);
}

TEST(TaskSpeed, IsProportionalBelowAndLevelAbove) {
  EXPECT_THAT(task_speed(kTable, 25), DoubleEq(0.25));
  EXPECT_EQ(task_speed(kTable, 0), 0);
  EXPECT_EQ(task_speed({{40, 1}}, 80), 1);
}

TEST(TaskSpeed, WithoutATableIsOneOnAnyUnits) {
  EXPECT_EQ(task_speed({}, 0.5), 1);
  EXPECT_EQ(task_speed({}, 0), 0);
}

TEST(KernelSpeed, GrowsBeyondWhereLinksAreFull) {
  EXPECT_EQ(kernel_speed({{32, 1}}, 64), 2);
  EXPECT_EQ(kernel_speed({{32, 1}}, 8), 0.25);
  EXPECT_THAT(kernel_speed(kTable, 65), DoubleEq(1 / 1.7));
}

}  // namespace
}  // namespace conccl::c3
