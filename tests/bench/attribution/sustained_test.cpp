// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Runs back to back: what is run and checked, not how fast.

#include "bench/sustained/sustained_rounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bench/attribution/counterfactual.hpp"
#include "conccl/core/errors.hpp"
#include "tests/bench/trace_support.hpp"

namespace conccl::bench {
namespace {

using test::Stage;

SustainedOptions short_options() {
  SustainedOptions options;
  options.each = Seconds(0.02);
  options.burst = Seconds(0.005);
  options.deadline = std::chrono::seconds(20);
  return options;
}

void keep_references(Stage& stage) {
  static_cast<void>(stage.workload.run_unchecked(gemm_alone(stage.workload.request(), {})));
  for (const auto& gemm : stage.gemms) gemm->keep_reference();
}

void run_both(Stage& stage) {
  keep_references(stage);
  SustainedRounds rounds({stage.ranks, stage.workload, stage.gemms}, short_options());
  const auto both = rounds.run({"conccl", stage.strategy(), {Parts::Kind::both}, 0.1});
  EXPECT_EQ(both.name, "conccl");
  EXPECT_GE(both.seconds, 0.02);
  EXPECT_GE(both.runs, 24U);
  EXPECT_NEAR(both.mean_ms, both.seconds * 1e3 / static_cast<double>(both.runs), 1e-6);
  const auto ranks = static_cast<Bytes>(stage.ranks.size());
  EXPECT_GT(both.check.bytes, 0U);
  EXPECT_EQ(both.check.bytes % (ranks * ranks * test::kBlock), 0U);
  EXPECT_EQ(both.check.mismatches + both.check.gemm_mismatches, 0U);
  const auto gemm =
      rounds.run({"gemm", gemm_alone(stage.workload.request(), {}), {Parts::Kind::gemm}, 0.1});
  EXPECT_EQ(gemm.check.bytes, 0U);
  CheckCounts counts;
  static_cast<void>(stage.workload.run_checked(stage.strategy(), {Parts::Kind::both}, counts));
}

TEST(SustainedRounds, RunOnRanksHere) { test::on_ranks_here(3, run_both); }

TEST(SustainedRounds, RunOnRanksApart) { test::on_ranks_apart(2, run_both); }

TEST(SustainedRounds, NoticeAWrongByteBehindABurst) {
  test::on_ranks_here(2, [](Stage& stage) {
    keep_references(stage);
    SustainedRounds rounds({stage.ranks, stage.workload, stage.gemms}, short_options());
    try {
      static_cast<void>(
          rounds.run({"broken", without_copies(stage.strategy()), {Parts::Kind::both}, 0.1}));
      FAIL() << "nothing was noticed";
    } catch (const CheckFailed& error) {
      EXPECT_THAT(error.what(), testing::StartsWith("broken: back to back: rank 0: "));
    }
  });
}

TEST(SustainedRounds, NoticeAGemmThatDidNotRun) {
  test::on_ranks_here(2, [](Stage& stage) {
    keep_references(stage);
    SustainedRounds rounds({stage.ranks, stage.workload, stage.gemms}, short_options());
    plan::Method method;
    method.engines = stage.device.dma_engines;
    EXPECT_THROW(static_cast<void>(rounds.run({"no gemm",
                                               collective_alone(stage.workload.request(), method),
                                               {Parts::Kind::both},
                                               0.1})),
                 CheckFailed);
  });
}

TEST(SustainedRounds, StopWhenAsked) {
  test::on_ranks_here(2, [](Stage& stage) {
    keep_references(stage);
    const std::atomic<bool> interrupt{true};
    SustainedRounds rounds({stage.ranks, stage.workload, stage.gemms, &interrupt}, short_options());
    EXPECT_THROW(
        static_cast<void>(rounds.run({"conccl", stage.strategy(), {Parts::Kind::both}, 0.1})),
        Interrupted);
  });
}

TEST(SustainedRounds, ARankThatDoesNotMoveOnIsNamed) {
  test::on_ranks_here(2, [](Stage& stage) {
    keep_references(stage);
    auto options = short_options();
    options.deadline = std::chrono::milliseconds(200);
    SustainedRounds rounds({stage.ranks, stage.workload, stage.gemms}, options);
    auto stuck = stage.strategy();
    auto& steps = stuck.lanes[1].lanes[0].steps;
    std::erase_if(steps,
                  [](const auto& step) { return std::holds_alternative<plan::Signal>(step); });
    EXPECT_THROW(static_cast<void>(rounds.run({"stuck", stuck, {Parts::Kind::both}, 0.1})),
                 RunError);
  });
}

TEST(SustainedPrint, HasEveryField) {
  Sustained sustained{"s1", {{"conccl", 1.5, 1.4, 100, 0.15, {4096, 0, 0}}}};
  const auto json = nlohmann::json::parse(to_json(sustained));
  EXPECT_EQ(json.at("scenario"), "s1");
  const auto& time = json.at("times").at(0);
  EXPECT_EQ(time.at("name"), "conccl");
  EXPECT_DOUBLE_EQ(time.at("mean_ms"), 1.5);
  EXPECT_DOUBLE_EQ(time.at("rounds_ms"), 1.4);
  EXPECT_EQ(time.at("runs"), 100);
  EXPECT_DOUBLE_EQ(time.at("seconds"), 0.15);
  EXPECT_EQ(time.at("check").at("bytes"), 4096);
  EXPECT_EQ(to_text(sustained),
            "s1\n  conccl           1.5000 ms sustained    1.4000 in rounds (1.071), 100 runs\n");
}

}  // namespace
}  // namespace conccl::bench
