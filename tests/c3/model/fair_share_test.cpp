// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "c3/model/fair_share.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/c3/model/support.hpp"

namespace conccl::c3 {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

TEST(FairShare, GivesEachItsLimitWhereNothingIsShort) {
  const std::vector<Use> half{{0, 0.5}};
  const std::vector<Claimant> claimants{{1, half}, {0.7, half}};
  EXPECT_THAT(FairShare(1).rates(claimants), ElementsAre(1, 0.7));
}

TEST(FairShare, RaisesTheOthersWhenOneIsHeld) {
  const std::vector<Use> all{{0, 1}};
  const std::vector<Claimant> claimants{{0.2, all}, {1, all}, {1, all}};
  EXPECT_THAT(FairShare(1).rates(claimants), ElementsAre(0.2, DoubleEq(0.4), DoubleEq(0.4)));
}

TEST(FairShare, HoldsOnlyThoseThatUseWhatIsUsedUp) {
  const std::vector<Use> first{{0, 1}};
  const std::vector<Use> both{{0, 1}, {1, 0.5}};
  const std::vector<Use> second{{1, 0.5}};
  const std::vector<Claimant> claimants{{1, first}, {1, both}, {1, second}};
  EXPECT_THAT(FairShare(2).rates(claimants), ElementsAre(0.5, 0.5, 1));
}

TEST(FairShare, LeavesOutWhoMayNotRun) {
  const std::vector<Use> all{{0, 1}};
  const std::vector<Claimant> claimants{{0, all}, {1, all}};
  EXPECT_THAT(FairShare(1).rates(claimants), ElementsAre(0, 1));
}

TEST(FairShare, CanBeUsedAgain) {
  const std::vector<Use> all{{0, 1}};
  FairShare fair(1);
  const std::vector<Claimant> two{{1, all}, {1, all}};
  (void)fair.rates(two);
  EXPECT_THAT(fair.rates(std::vector<Claimant>{{1, all}}), ElementsAre(1));
}

constexpr int kResources = 4;

struct Case {
  std::vector<std::vector<Use>> uses;
  std::vector<Claimant> claimants;
};

Case any_case() {
  Case value;
  const int count = *rc::gen::inRange(1, 8);
  for (int i = 0; i < count; ++i) {
    std::vector<Use> uses;
    for (int r = 0; r < kResources; ++r) {
      if (*rc::gen::inRange(0, 2) == 1) uses.push_back({r, *rc::gen::inRange(1, 1001) / 1000.0});
    }
    value.uses.push_back(std::move(uses));
  }
  for (const auto& uses : value.uses) {
    value.claimants.push_back({*rc::gen::inRange(0, 1001) / 1000.0, uses});
  }
  return value;
}

std::vector<double> used_by(const Case& value, const std::vector<double>& rates) {
  std::vector<double> used(kResources);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    for (const Use& use : value.uses[i]) {
      used[static_cast<std::size_t>(use.resource)] += use.share * rates[i];
    }
  }
  return used;
}

/// The characterisation of max-min: whoever is below its limit uses a resource that is used up and
/// on which nobody has more.
RC_GTEST_PROP(FairShare, IsMaxMin, ()) {
  for (int run = 0; run < kCasesPerRun; ++run) {
    const Case value = any_case();
    FairShare fair(kResources);
    const auto rates = fair.rates(value.claimants);
    const auto used = used_by(value, rates);
    for (const double sum : used) RC_ASSERT(sum <= 1 + 1e-9);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      RC_ASSERT(rates[i] <= value.claimants[i].limit);
      if (rates[i] >= value.claimants[i].limit - 1e-9) continue;
      bool is_held = false;
      for (const Use& use : value.uses[i]) {
        if (used[static_cast<std::size_t>(use.resource)] < 1 - 1e-9) continue;
        bool is_largest = true;
        for (std::size_t j = 0; j < rates.size(); ++j) {
          for (const Use& other : value.uses[j]) {
            if (other.resource == use.resource && rates[j] > rates[i] + 1e-9) is_largest = false;
          }
        }
        is_held = is_held || is_largest;
      }
      RC_ASSERT(is_held);
    }
  }
}

}  // namespace
}  // namespace conccl::c3
