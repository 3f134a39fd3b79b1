// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "c3/model/symmetry.hpp"

#include <gtest/gtest.h>

#include "tests/c3/model/support.hpp"

namespace conccl::c3 {
namespace {

plan::Plan plan_of_strategy(std::string_view strategy, int ranks) {
  const plan::Request request{plan::Collective::all_to_all, ranks, 1024, {}};
  DeviceShape device{100, 3};
  device.own_block = plan::OwnBlock::own_lane;
  return c3_plan({find_strategy(strategy), request, device, 0, plan::Direction::push});
}

plan::Plan base_plan() { return plan_of_strategy("c3_base", 5); }

plan::Lane& comm_lane(plan::Plan& plan, int rank) {
  return plan.ranks[static_cast<std::size_t>(rank)].lanes.front();
}

/// The first step of its kind in a lane.
template <typename Kind>
Kind& first(plan::Lane& lane) {
  for (plan::Step& step : lane.steps) {
    if (auto* const found = std::get_if<Kind>(&step)) return *found;
  }
  throw InputError("no such step");
}

TEST(RankSymmetry, IsInEveryPlanOfAStrategy) {
  for (const Strategy& strategy : strategies()) {
    if (strategy.budget == BudgetKind::comm_units) continue;
    for (const int ranks : {1, 2, 3, 5, 8}) {
      const plan::Plan whole = plan_of_strategy(strategy.name, ranks);
      EXPECT_TRUE(RankSymmetry::of(whole)) << strategy.name << " on " << ranks;
    }
  }
}

TEST(RankSymmetry, CallsAFlagWhatRankZeroCallsIt) {
  const auto found = RankSymmetry::of(base_plan());
  ASSERT_TRUE(found);
  // Flag s of a rank is raised by rank s: rank 3's flag 4 is, one rank on, rank 0's flag 1.
  EXPECT_EQ(found->on_rank_0(3, 4), 1);
  EXPECT_EQ(found->on_rank_0(3, 2), 4);
  EXPECT_EQ(found->on_rank_0(0, 2), 2);
  EXPECT_EQ(found->on_rank_0(3, 3), kUnheard) << "nobody is ready for itself";
}

TEST(RankSymmetry, EndsWhereARankDiffers) {
  const auto changed = [](auto change) {
    plan::Plan plan = base_plan();
    change(plan);
    return RankSymmetry::of(plan).has_value();
  };
  EXPECT_TRUE(changed([](plan::Plan&) {}));
  EXPECT_FALSE(changed([](plan::Plan& p) { first<plan::Copy>(comm_lane(p, 2)).bytes += 1; }));
  EXPECT_FALSE(changed([](plan::Plan& p) { first<plan::Copy>(comm_lane(p, 2)).dst.rank = 4; }));
  EXPECT_FALSE(changed([](plan::Plan& p) { comm_lane(p, 2).launch_rank += 1; }));
  EXPECT_FALSE(
      changed([](plan::Plan& p) { comm_lane(p, 2).share = {plan::Share::Kind::only, 3}; }));
  EXPECT_FALSE(changed([](plan::Plan& p) { comm_lane(p, 2).priority = plan::Priority::high; }));
  EXPECT_FALSE(changed([](plan::Plan& p) { comm_lane(p, 2).steps.pop_back(); }));
  EXPECT_FALSE(changed([](plan::Plan& p) { p.ranks[2].lanes.pop_back(); }));
  EXPECT_FALSE(changed([](plan::Plan& p) { p.ranks.pop_back(); }));
  EXPECT_FALSE(changed([](plan::Plan& p) { first<plan::Signal>(comm_lane(p, 2)).rank = 2; }));
  EXPECT_FALSE(changed([](plan::Plan& p) { first<plan::Wait>(comm_lane(p, 2)).flag = 0; }));
}

TEST(RankSymmetry, EndsWhereASignalRaisesAnotherFlag) {
  plan::Plan plan = base_plan();
  // Of the same rank, waited for there, but by another step than on the other ranks.
  first<plan::Signal>(comm_lane(plan, 2)).flag += 5;
  EXPECT_FALSE(RankSymmetry::of(plan));
}

TEST(RankSymmetry, EndsWhereTasksDiffer) {
  plan::Plan plan = base_plan();
  plan.tasks.emplace_back("other");
  first<plan::Compute>(plan.ranks[2].lanes.back()).task = 1;
  EXPECT_FALSE(RankSymmetry::of(plan));
}

TEST(RankSymmetry, EndsWhereOneRankReadsABlockAgain) {
  plan::Plan plan = base_plan();
  auto& steps = comm_lane(plan, 2).steps;
  plan::Copy* before = nullptr;
  for (plan::Step& step : steps) {
    auto* const copy = std::get_if<plan::Copy>(&step);
    if (copy != nullptr && before != nullptr) copy->src = before->src;
    if (copy != nullptr) before = copy;
  }
  EXPECT_FALSE(RankSymmetry::of(plan));
}

}  // namespace
}  // namespace conccl::c3
