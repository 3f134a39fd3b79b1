// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/strategy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "conccl/core/errors.hpp"
#include "conccl/plan/text.hpp"
#include "conccl/plan/verify.hpp"
#include "tests/support/golden.hpp"

namespace conccl::c3 {
namespace {

using plan::Collective;
using plan::Direction;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr DeviceShape kSmall{4, 2};
constexpr DeviceShape kLarge{304, 14};
/// As an H200: partitions of whole eights, and a GEMM needs two of them.
constexpr DeviceShape kStepped{132, 3, 8, 16};
constexpr std::array kVendor = {Carrier::vendor_kernels, Carrier::vendor_copies};

Strategy beside_vendor(std::string_view name) {
  for (const auto& strategy : strategies_beside(kVendor)) {
    if (strategy.name == name) return strategy;
  }
  throw InputError("no strategy " + std::string(name));
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& strategy : strategies()) found.emplace_back(strategy.name);
  return found;
}

std::string refusal_of(const auto& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

TEST(Strategies, InTheOrderOfReports) {
  EXPECT_THAT(names(), ElementsAre("serial", "c3_base", "c3_sp", "c3_rp", "c3_sp_rp", "conccl",
                                   "conccl_rp"));
  for (const auto& strategy : strategies()) EXPECT_EQ(find_strategy(strategy.name), strategy);
}

std::vector<std::string> names_of(const std::vector<Strategy>& list) {
  std::vector<std::string> found;
  for (const auto& strategy : list) found.emplace_back(strategy.name);
  return found;
}

TEST(Strategies, BesideNoVendorTheyAreOurs) {
  EXPECT_EQ(strategies_beside({}), strategies());
  for (const auto& strategy : strategies()) EXPECT_EQ(strategy.carrier, Carrier::own);
}

TEST(Strategies, BesideAVendorItsKernelsHaveThePlainNames) {
  const auto list = strategies_beside(kVendor);
  EXPECT_THAT(names_of(list), ElementsAre("serial", "c3_base", "c3_sp", "c3_rp", "c3_sp_rp",
                                          "serial_own", "c3_base_own", "c3_sp_own", "c3_rp_own",
                                          "c3_sp_rp_own", "nccl_ce", "conccl", "conccl_rp"));
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(list[i].carrier, Carrier::vendor_kernels);
    Strategy ours = strategies()[i];
    EXPECT_EQ(list[i].order, ours.order);
    ours.name = list[i + 5].name;
    EXPECT_EQ(list[i + 5], ours);
    EXPECT_EQ(find_strategy(ours.name), ours);
  }
  EXPECT_EQ(list[10].carrier, Carrier::vendor_copies);
  EXPECT_EQ(list[10].order, Order::together);
  EXPECT_EQ(find_strategy("nccl_ce"), list[10]);
}

TEST(Strategies, KernelsWithoutCopiesHaveNoRowForThem) {
  constexpr std::array kKernels = {Carrier::vendor_kernels};
  EXPECT_THAT(names_of(strategies_beside(kKernels)), testing::Not(testing::Contains("nccl_ce")));
  EXPECT_EQ(strategies_beside(kKernels).size(), 12U);
}

TEST(Strategies, UnknownNameListsTheKnown) {
  EXPECT_THAT(refusal_of([] { (void)find_strategy("c3_max"); }),
              testing::AllOf(HasSubstr("'c3_max' is not known"), HasSubstr("serial, c3_base"),
                             HasSubstr("conccl_rp")));
}

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

TEST(Budgets, WithoutOne) {
  for (const auto* name : {"serial", "c3_base", "c3_sp", "conccl"}) {
    EXPECT_THAT(budgets_to_sweep(find_strategy(name), kLarge), ElementsAre(0)) << name;
  }
}

TEST(Budgets, EveryUnitOfASmallDevice) {
  EXPECT_THAT(budgets_to_sweep(find_strategy("c3_rp"), kSmall), ElementsAre(1, 2, 3));
  EXPECT_THAT(budgets_to_sweep(find_strategy("conccl_rp"), kSmall), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(budgets_to_sweep(find_strategy("c3_sp_rp"), {8, 1}),
              ElementsAre(1, 2, 3, 4, 5, 6, 7));
}

TEST(Budgets, PowersOfTwoOfALargeDevice) {
  EXPECT_THAT(budgets_to_sweep(find_strategy("c3_rp"), kLarge),
              ElementsAre(1, 2, 4, 8, 16, 32, 64, 128, 256));
  EXPECT_THAT(budgets_to_sweep(find_strategy("conccl_rp"), kLarge),
              ElementsAre(0, 1, 2, 4, 8, 16, 32, 64, 128, 256));
}

TEST(Budgets, OneUnitCannotBeSplit) {
  EXPECT_THAT(budgets_to_sweep(find_strategy("c3_rp"), {1, 1}), testing::IsEmpty());
  EXPECT_THAT(budgets_to_sweep(find_strategy("conccl_rp"), {1, 1}), ElementsAre(0));
}

TEST(Budgets, OfADeviceWithAStep) {
  EXPECT_THAT(budgets_to_sweep(find_strategy("c3_rp"), kStepped), ElementsAre(8, 16, 32, 64));
  EXPECT_THAT(budgets_to_sweep(find_strategy("conccl_rp"), kStepped),
              ElementsAre(0, 4, 12, 20, 28, 36, 52, 68));
  EXPECT_THAT(budgets_to_sweep(find_strategy("conccl_rp"), {128, 3, 8, 16}),
              ElementsAre(0, 8, 16, 24, 32, 48, 64));
  EXPECT_THAT(budgets_to_sweep(find_strategy("conccl_rp"), {20, 3, 8, 16}), ElementsAre(0, 4));
}

TEST(Budgets, OfAVendorsKernelsAreThreadBlocks) {
  EXPECT_THAT(budgets_to_sweep(beside_vendor("c3_rp"), kStepped), ElementsAre(4, 8, 16, 32));
  EXPECT_THAT(budgets_to_sweep(beside_vendor("c3_sp_rp"), kLarge), ElementsAre(4, 8, 16, 32));
  EXPECT_THAT(budgets_to_sweep(beside_vendor("c3_rp"), {6, 1}), ElementsAre(4));
  EXPECT_THAT(budgets_to_sweep(beside_vendor("c3_rp"), kSmall), testing::IsEmpty());
  EXPECT_THAT(budgets_to_sweep(beside_vendor("c3_base"), kStepped), ElementsAre(0));
}

TEST(ShareWithout, IsWhatTheDeviceCanMake) {
  using Kind = plan::Share::Kind;
  EXPECT_EQ(share_without(kStepped, 0), plan::Share{});
  EXPECT_EQ(share_without(kStepped, 4), (plan::Share{Kind::only, 128}));
  EXPECT_EQ(share_without(kStepped, 8), (plan::Share{Kind::all_but, 8}));
  EXPECT_EQ(share_without(kStepped, 68), (plan::Share{Kind::only, 64}));
  EXPECT_EQ(share_without(kStepped, 5), std::nullopt);
  EXPECT_EQ(share_without(kStepped, 116), (plan::Share{Kind::only, 16}));
  EXPECT_EQ(share_without(kStepped, 120), std::nullopt);
  EXPECT_EQ(share_without(kStepped, -8), std::nullopt);
  EXPECT_EQ(share_without(kSmall, 3), (plan::Share{Kind::all_but, 3}));
  EXPECT_EQ(share_without(kSmall, 4), std::nullopt);
}

/// One row of the decision table.
struct Decision {
  const char* strategy;
  DeviceShape device;
  int budget;
  const char* reason;  ///< empty: possible
};

TEST(WhyNot, DecisionTable) {
  const Decision table[] = {
      {"serial", {1, 0}, 0, ""},
      {"serial", {4, 1}, 1, "budget 1 is not in 0 .. 0"},
      {"c3_base", {1, 0}, 0, ""},
      {"c3_sp", {4, 0}, 0, ""},
      {"c3_sp", {4, 0}, -1, "budget -1 is not in 0 .. 0"},
      {"c3_rp", {4, 0}, 0, "budget 0 is not in 1 .. 3"},
      {"c3_rp", {4, 0}, 1, ""},
      {"c3_rp", {4, 0}, 3, ""},
      {"c3_rp", {4, 0}, 4, "budget 4 is not in 1 .. 3"},
      {"c3_rp", {1, 0}, 1, "splitting needs at least 2 compute units, the device has 1"},
      {"c3_sp_rp", {2, 0}, 1, ""},
      {"c3_sp_rp", {2, 0}, 2, "budget 2 is not in 1 .. 1"},
      {"conccl", {4, 1}, 0, ""},
      {"conccl", {4, 0}, 0, "the device has no DMA engines"},
      {"conccl", {4, 1}, 2, "budget 2 is not in 0 .. 0"},
      {"conccl_rp", {4, 1}, 0, ""},
      {"conccl_rp", {4, 1}, 3, ""},
      {"conccl_rp", {4, 1}, 4, "budget 4 is not in 0 .. 3"},
      {"conccl_rp", {4, 0}, 1, "the device has no DMA engines"},
      {"conccl_rp", {1, 1}, 0, ""},
      {"c3_rp", kStepped, 8, ""},
      {"c3_rp", kStepped, 4, "budget 4 is not in 8 .. 116"},
      {"c3_rp", kStepped, 12, "budget 12 is not a multiple of 8"},
      {"c3_rp", {20, 3, 8, 16}, 8, "splitting needs at least 24 compute units, the device has 20"},
      {"conccl_rp", kStepped, 4, ""},
      {"conccl_rp", kStepped, 8, ""},
      {"conccl_rp", kStepped, 6, "budget 6 leaves 126 compute units: neither is a multiple of 8"},
      {"conccl_rp", kStepped, 117, "budget 117 is not in 0 .. 116"},
      {"nccl_ce", {132, 0}, 0, ""},
      {"nccl_ce", kStepped, 8, "budget 8 is not in 0 .. 0"},
  };
  for (const auto& row : table) {
    EXPECT_EQ(why_not(find_strategy(row.strategy), row.device, row.budget), row.reason)
        << row.strategy << " budget " << row.budget << " of " << row.device.compute_units;
  }
}

TEST(WhyNot, EverySweptBudgetIsPossible) {
  for (const auto& strategy : strategies_beside(kVendor)) {
    for (const auto& device : {kSmall, kLarge, kStepped, DeviceShape{1, 1}, DeviceShape{9, 3}}) {
      for (const int budget : budgets_to_sweep(strategy, device)) {
        EXPECT_EQ(why_not(strategy, device, budget), "") << strategy.name << " " << budget;
      }
    }
  }
}

TEST(Plans, RefuseWhatIsNotPossible) {
  const C3Request request{find_strategy("c3_rp"), {Collective::all_gather, 2, 64}, kSmall, 4};
  EXPECT_THAT(refusal_of([&] { (void)c3_plan(request); }),
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
