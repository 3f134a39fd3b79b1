// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/model/losses.hpp"

#include <gmock/gmock.h>

#include <numeric>

namespace conccl::c3 {
namespace {

constexpr std::size_t kInterference = 0;
constexpr std::size_t kLateLaunch = 3;

Suite paper_suite() { return load_suite("llama"); }

double sum_of(const ClassLosses& losses) {
  return std::accumulate(losses.points.begin(), losses.points.end(), losses.percent + losses.rest);
}

TEST(Losses, AddUpToTheIdealInEveryClass) {
  const auto losses =
      losses_by_class(load_known_machine("mi300x"), paper_suite(), find_strategy("conccl"));
  ASSERT_EQ(losses.size(), 6U);
  int scenarios = 0;
  for (const ClassLosses& each : losses) {
    EXPECT_NEAR(sum_of(each), 100, 1e-9);
    scenarios += each.scenarios;
  }
  EXPECT_EQ(scenarios, 30);
}

TEST(Losses, OfWhatIsOffAreNone) {
  Machine machine = load_known_machine("mi300x");
  machine.model.beside_dma = 1;
  machine.model.dma_launch_ns = 0;
  machine.model.dma_copy_ns = 0;
  for (const auto& each : losses_by_class(machine, paper_suite(), find_strategy("conccl"))) {
    EXPECT_EQ(each.points[kInterference], 0);
    EXPECT_EQ(each.points[kLateLaunch], 0);
  }
}

TEST(Losses, OfLaunchingAreThoseOfShortScenarios) {
  const auto losses =
      losses_by_class(load_known_machine("mi300x"), paper_suite(), find_strategy("conccl"));
  for (const ClassLosses& each : losses) {
    EXPECT_GT(each.points[kInterference], 5) << name_of(each.balance);
    const bool hidden = each.balance == Balance::g_long;
    EXPECT_EQ(each.points[kLateLaunch] < 0.5, hidden) << name_of(each.balance);
  }
}

TEST(Losses, HaveALineForEachClass) {
  ClassLosses one;
  one.scenarios = 3;
  one.percent = 61.25;
  one.points[kInterference] = 30.75;
  const std::string text = to_text(std::vector{one});
  EXPECT_THAT(text, testing::HasSubstr("interference"));
  EXPECT_THAT(text,
              testing::HasSubstr("all_gather  GC-equal          3     61.2             30.8"));
}

}  // namespace
}  // namespace conccl::c3
