// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// The plans of strategies.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "conccl/plan/text.hpp"
#include "conccl/plan/verify.hpp"
#include "tests/c3/strategy_support.hpp"
#include "tests/support/golden.hpp"

namespace conccl::c3 {
namespace {

using plan::Collective;
using plan::Direction;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Plans, ACopyWithinTheDeviceStartsBehindTheGemm) {
  DeviceShape device = kStepped;
  device.own_block = plan::OwnBlock::own_lane;
  const plan::Request request{Collective::all_to_all, 2, 1 << 20, {}};
  for (const auto* name : {"conccl", "conccl_rp"}) {
    const auto whole = c3_plan({find_strategy(name), request, device, 0, Direction::push});
    EXPECT_TRUE(plan::verify(whole).accepted());
    const auto& lanes = whole.ranks[1].lanes;
    ASSERT_EQ(lanes.size(), 3U);
    ASSERT_EQ(lanes[1].label, plan::kOwnLane);
    const int gate = whole.flags - 1;
    EXPECT_EQ(lanes[2].steps.front(), plan::Step(plan::Signal{1, gate}));
    EXPECT_EQ(lanes[1].steps.front(), plan::Step(plan::Wait{gate}));
    EXPECT_GT(lanes[1].launch_rank, lanes[2].launch_rank);
    EXPECT_EQ(lanes[0].launch_rank, 0) << "copies to peers need not wait";
  }
}

TEST(Plans, AKernelForTheOwnBlockGoesBeforeTheGemmOnUnitsOfItsOwn) {
  const plan::Request request{Collective::all_to_all, 2, 1 << 20, {}};
  const auto& strategy = find_strategy("conccl_hybrid");
  const auto whole = c3_plan({strategy, request, kStepped, 8, Direction::push});
  EXPECT_TRUE(plan::verify(whole).accepted());
  const auto& lanes = whole.ranks[1].lanes;
  ASSERT_EQ(lanes.size(), 3U);
  EXPECT_EQ(lanes[0].engine, plan::Engine::dma);
  EXPECT_EQ(lanes[1].label, plan::kOwnLane);
  EXPECT_EQ(lanes[1].engine, plan::Engine::compute);
  EXPECT_EQ(lanes[1].share, (plan::Share{plan::Share::Kind::only, 8}));
  EXPECT_LT(lanes[1].launch_rank, lanes[2].launch_rank);
  EXPECT_EQ(lanes[2].share, plan::Share{}) << "the GEMM has every unit";
  EXPECT_THAT(input_error([&] { (void)c3_plan({strategy, request, kStepped, 4}); }),
              HasSubstr("conccl_hybrid"));
  const plan::Request in_place{Collective::all_gather, 2, 1 << 20, plan::Placement::in_place};
  EXPECT_EQ(c3_plan({strategy, in_place, kStepped, 8}).ranks[0].lanes.size(), 2U);
}

TEST(Plans, RefuseWhatIsNotPossible) {
  const C3Request request{find_strategy("c3_rp"), {Collective::all_gather, 2, 64}, kSmall, 4};
  EXPECT_THAT(input_error([&] { (void)c3_plan(request); }),
              HasSubstr("strategy c3_rp: budget 4 is not in 1 .. 3"));
}

struct Case {
  int ranks;
  Collective collective;
  Direction direction;
};

class Plans : public testing::TestWithParam<Case> {};

TEST_P(Plans, Verify) {
  const auto [ranks, collective, direction] = GetParam();
  for (const auto& strategy : strategies()) {
    for (const int budget : budgets_to_sweep(strategy, kSmall)) {
      for (const Bytes block : {Bytes{0}, Bytes{1}, Bytes{4099}}) {
        const C3Request request{strategy, {collective, ranks, block}, kSmall, budget, direction};
        const auto plan = c3_plan(request);
        const auto verdict = plan::verify(plan);
        EXPECT_TRUE(verdict.accepted())
            << strategy.name << " budget " << budget << ": " << verdict.complaints.front().text;
      }
    }
  }
}

TEST_P(Plans, HoldOneGemmPerRankAndEveryLaneTheStrategyAsksFor) {
  const auto [ranks, collective, direction] = GetParam();
  for (const auto& strategy : strategies()) {
    const int budget = budgets_to_sweep(strategy, kSmall).back();
    const auto plan = c3_plan({strategy, {collective, ranks, 64}, kSmall, budget, direction});
    EXPECT_THAT(plan.tasks, ElementsAre(kGemmTask));
    for (const auto& rank : plan.ranks) {
      const auto& gemm = rank.lanes.back();
      EXPECT_EQ(gemm.label, kGemmTask);
      EXPECT_EQ(gemm.priority, plan::Priority::normal);
      EXPECT_EQ(gemm.share.kind, budget == 0 ? plan::Share::Kind::all : plan::Share::Kind::all_but);
      EXPECT_EQ(gemm.share.units, budget);
      for (auto lane = rank.lanes.begin(); lane != rank.lanes.end() - 1; ++lane) {
        EXPECT_EQ(lane->engine == plan::Engine::dma, strategy.form == plan::Form::dma);
        EXPECT_EQ(lane->priority, strategy.comm_priority);
        EXPECT_EQ(lane->share.units, strategy.budget == BudgetKind::comm_units ? budget : 0);
      }
    }
  }
}

TEST_P(Plans, OfAVendorHoldOneTaskForTheCollective) {
  const auto [ranks, collective, direction] = GetParam();
  for (const auto& strategy : strategies_beside(kVendor)) {
    if (strategy.carrier == Carrier::own) continue;
    for (const int budget : budgets_to_sweep(strategy, kStepped)) {
      const C3Request request{strategy, {collective, ranks, 64}, kStepped, budget, direction};
      const auto plan = c3_plan(request);
      EXPECT_THAT(plan.tasks, ElementsAre(kGemmTask, kCollectiveTask));
      ASSERT_EQ(plan.ranks.size(), static_cast<std::size_t>(ranks));
      for (const auto& rank : plan.ranks) {
        ASSERT_EQ(rank.lanes.size(), 2U);
        EXPECT_EQ(rank.lanes[0].label, kCollectiveTask);
        EXPECT_EQ(rank.lanes[0].engine, plan::Engine::compute);
        EXPECT_EQ(rank.lanes[0].share, plan::Share{});
        EXPECT_EQ(rank.lanes[0].priority, strategy.comm_priority);
        EXPECT_EQ(rank.lanes[1].label, kGemmTask);
        EXPECT_EQ(rank.lanes[1].share, *share_without(kStepped, budget));
      }
    }
  }
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const int ranks : {1, 2, 3, 4}) {
    for (const auto collective : plan::all_collectives()) {
      for (const auto direction : {Direction::push, Direction::pull}) {
        list.push_back({ranks, collective, direction});
      }
    }
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, Plans, testing::ValuesIn(cases()), [](const auto& test) {
  return std::string(plan::name_of(test.param.collective)) + "_" +
         std::to_string(test.param.ranks) +
         (test.param.direction == Direction::push ? "_push" : "_pull");
});

TEST(Plans, TheGateIsWhatHoldsTheOrder) {
  // Without the GEMM's gate, serial and c3_base would be the same plan as one released together.
  for (auto strategy : strategies()) {
    const int budget = budgets_to_sweep(strategy, kSmall).front();
    const C3Request gated{strategy, {Collective::all_gather, 2, 64}, kSmall, budget};
    C3Request loose = gated;
    loose.strategy.order = Order::together;
    EXPECT_EQ(c3_plan(gated).ranks == c3_plan(loose).ranks, strategy.order == Order::together)
        << strategy.name;
  }
}

TEST(Plans, OfTwoRanks) {
  for (const auto& strategy : strategies()) {
    const int budget = budgets_to_sweep(strategy, kSmall).back();
    const auto plan = c3_plan({strategy, {Collective::all_gather, 2, 1000}, kSmall, budget});
    EXPECT_GOLDEN("c3/" + std::string(strategy.name) + ".txt", plan::to_text(plan));
  }
}

using Steps = std::vector<plan::Step>;

/// The lanes of rank 1 of two under a strategy that runs the vendor's collective.
plan::RankPlan vendor_lanes(std::string_view strategy) {
  return c3_rank({beside_vendor(strategy), {Collective::all_gather, 2, 64}, kStepped, 0}, 1);
}

TEST(Plans, OfAVendorAreGatedAsTheirNamesSay) {
  const plan::Step collective{plan::Compute{1}};
  const plan::Step gemm{plan::Compute{0}};
  const int flag =
      c3_frame({find_strategy("conccl"), {Collective::all_gather, 2, 64}, kStepped, 0}).flags - 1;
  const plan::Step raise{plan::Signal{1, flag}};
  const plan::Step wait{plan::Wait{flag}};
  const auto serial = vendor_lanes("serial");
  EXPECT_EQ(serial.lanes[0].steps, (Steps{wait, collective}));
  EXPECT_EQ(serial.lanes[1].steps, (Steps{gemm, raise}));
  EXPECT_EQ(serial.lanes[0].launch_rank, 1);
  const auto base = vendor_lanes("c3_base");
  EXPECT_EQ(base.lanes[0].steps, (Steps{wait, collective}));
  EXPECT_EQ(base.lanes[1].steps, (Steps{raise, gemm}));
  EXPECT_EQ(base.lanes[0].launch_rank, 1);
  const auto sp = vendor_lanes("c3_sp");
  EXPECT_EQ(sp.lanes[0].steps, (Steps{raise, collective}));
  EXPECT_EQ(sp.lanes[1].steps, (Steps{wait, gemm}));
  EXPECT_EQ(sp.lanes[1].launch_rank, 1);
  const auto copies = vendor_lanes("nccl_ce");
  EXPECT_EQ(copies.lanes[0].steps, (Steps{collective}));
  EXPECT_EQ(copies.lanes[1].steps, (Steps{gemm}));
}

TEST(Plans, OfAVendorHaveTheFlagsOfOurs) {
  // On one communicator a flag has one writer, whichever plan runs.
  for (const auto& strategy : strategies_beside(kVendor)) {
    if (strategy.budget != BudgetKind::none) continue;
    const auto frame = c3_frame({strategy, {Collective::all_to_all, 3, 64}, kStepped, 0});
    EXPECT_EQ(frame.flags, c3_frame({find_strategy("conccl"), frame.request, kStepped, 0}).flags)
        << strategy.name;
  }
}

TEST(Plans, VendorCollectiveAlone) {
  const auto lanes = vendor_collective_alone().lanes;
  ASSERT_EQ(lanes.size(), 1U);
  EXPECT_EQ(lanes[0].share, plan::Share{});
  EXPECT_THAT(lanes[0].steps, ElementsAre(plan::Step{plan::Compute{1}}));
}

TEST(Plans, GemmAlone) {
  const auto lanes = gemm_alone({plan::Share::Kind::all_but, 2}).lanes;
  ASSERT_EQ(lanes.size(), 1U);
  EXPECT_EQ(lanes[0].share, (plan::Share{plan::Share::Kind::all_but, 2}));
  EXPECT_THAT(lanes[0].steps, ElementsAre(plan::Step{plan::Compute{0}}));
}

}  // namespace
}  // namespace conccl::c3
