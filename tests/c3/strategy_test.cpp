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
#include "tests/c3/strategy_support.hpp"

namespace conccl::c3 {
namespace {

using plan::Collective;
using plan::Direction;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& strategy : strategies()) found.emplace_back(strategy.name);
  return found;
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
  EXPECT_THAT(input_error([] { (void)find_strategy("c3_max"); }),
              testing::AllOf(HasSubstr("'c3_max' is not known"), HasSubstr("serial, c3_base"),
                             HasSubstr("conccl_rp")));
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

TEST(Budgets, AKernelForTheOwnBlockGetsAQuarterAtMost) {
  const auto& hybrid = find_strategy("conccl_hybrid");
  EXPECT_THAT(budgets_to_sweep(hybrid, {132, 3, 8, 16}), ElementsAre(8, 16, 32));
  EXPECT_THAT(budgets_to_sweep(hybrid, kSmall), ElementsAre(1));
  EXPECT_THAT(why_not(hybrid, {132, 3, 8, 16}, 12), testing::HasSubstr("multiple of 8"));
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

}  // namespace
}  // namespace conccl::c3
