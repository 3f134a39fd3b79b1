// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Attribution on ranks that run. Times are never asserted.

#include "bench/attribution/attribution_rounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "conccl/core/errors.hpp"
#include "tests/bench/attribution/counting_backend.hpp"
#include "tests/bench/trace_support.hpp"

namespace conccl::bench {
namespace {

using test::Stage;

void keep_references(Stage& stage) {
  static_cast<void>(stage.workload.run_unchecked(gemm_alone(stage.workload.request(), {})));
  for (const auto& gemm : stage.gemms) gemm->keep_reference();
}

AttributionSubject subject_of(Stage& stage) {
  plan::Method method;
  method.engines = stage.device.dma_engines;
  return {"a scenario", "conccl", stage.strategy(),
          collective_alone(stage.workload.request(), method)};
}

AttributionOptions options() {
  AttributionOptions options;
  options.warmup = 1;
  options.rounds = 3;
  return options;
}

void attribute_once(Stage& stage) {
  keep_references(stage);
  const auto backend = backend::open("host");
  AttributionRounds rounds({stage.rig, stage.workload, stage.gemms, backend->capabilities()},
                           options());
  std::mt19937_64 random(1);
  const auto result = rounds.run(subject_of(stage), random);
  EXPECT_EQ(result.scenario, "a scenario");
  EXPECT_EQ(result.strategy, "conccl");
  EXPECT_THAT(result.notes, testing::Contains("no clock counters here"));
  EXPECT_GE(result.causes.size(), 2U);
  double sum = result.unexplained_ms - result.slack_ms;
  for (const auto& cause : result.causes) sum += cause.ms;
  EXPECT_NEAR(sum, result.loss.lost_ms, 1e-9);
  // The collective alone, the strategy, read, and with zero operands; three rounds and a warm-up.
  const auto ranks = static_cast<Bytes>(stage.ranks.size());
  EXPECT_EQ(rounds.checked().bytes, 4 * 5 * ranks * ranks * test::kBlock);
  EXPECT_EQ(rounds.checked().mismatches, 0U);
  EXPECT_EQ(rounds.checked().gemm_mismatches, 0U);
  CheckCounts counts;
  static_cast<void>(stage.workload.run_checked(stage.strategy(), {Parts::Kind::both}, counts));
  EXPECT_EQ(counts.gemm_mismatches, 0U) << "the random operands are back";
}

TEST(AttributionRounds, WorkOnRanksHere) { test::on_ranks_here(3, attribute_once); }

TEST(AttributionRounds, WorkOnRanksApartAndAgree) { test::on_ranks_apart(2, attribute_once); }

TEST(AttributionRounds, ReadTheClockOfTheRankThatWasLast) {
  test::CountingBackend backend;
  Ranks ranks(backend, 2, {});
  Stage stage(ranks, backend);
  keep_references(stage);
  AttributionRounds rounds({stage.rig, stage.workload, stage.gemms, backend.capabilities()},
                           options());
  std::mt19937_64 random(1);
  const auto result = rounds.run(subject_of(stage), random);
  ASSERT_TRUE(result.clocks);
  const double ghz = 1 + result.rank;
  EXPECT_NEAR(result.clocks->alone_ghz, ghz, 1e-6);
  EXPECT_NEAR(result.clocks->together_ghz, ghz, 1e-6);
  EXPECT_NEAR(result.clocks->alone_zero_ghz, ghz, 1e-6);
  EXPECT_NEAR(result.clocks->together_zero_ghz, ghz, 1e-6);
  EXPECT_TRUE(result.notes.empty());
}

TEST(AttributionRounds, MakeCopiesThatDoNotFitGoOverASmallRegion) {
  test::on_ranks_here(2, [](Stage& stage) {
    constexpr Bytes kLarge = 300 * kKiB;
    Workload workload(stage.rig, request_for(plan::Collective::all_to_all, 2, kLarge), stage.gemms);
    static_cast<void>(workload.run_unchecked(gemm_alone(workload.request(), {})));
    for (const auto& gemm : stage.gemms) gemm->keep_reference();
    const auto backend = backend::open("host");
    auto small = options();
    small.cache_region = 256 * kKiB;
    AttributionRounds rounds({stage.rig, workload, stage.gemms, backend->capabilities()}, small);
    const auto plan = c3::c3_plan(
        {c3::find_strategy("conccl"), workload.request(), stage.device, 0, plan::Direction::push});
    std::mt19937_64 random(1);
    const auto result = rounds.run({"s",
                                    "conccl",
                                    {"conccl", plan.request, plan.flags, plan.ranks},
                                    collective_alone(workload.request(), {})},
                                   random);
    const auto memory = [](const Cause& cause) { return cause.name == "memory"; };
    EXPECT_EQ(std::count_if(result.causes.begin(), result.causes.end(), memory), 1);
    EXPECT_EQ(rounds.checked().mismatches, 0U);
  });
}

TEST(AttributionRounds, NoticeAWrongByte) {
  test::on_ranks_here(2, [](Stage& stage) {
    keep_references(stage);
    const auto backend = backend::open("host");
    AttributionRounds rounds({stage.rig, stage.workload, stage.gemms, backend->capabilities()},
                             options());
    auto subject = subject_of(stage);
    subject.together = without_copies(subject.together);
    std::mt19937_64 random(1);
    EXPECT_THROW(static_cast<void>(rounds.run(subject, random)), CheckFailed);
  });
}

TEST(LaneTimes, AreThoseOfTheLastRunOnEveryRank) {
  const auto look = [](Stage& stage) {
    keep_references(stage);
    static_cast<void>(stage.workload.run_unchecked(gemm_alone(stage.workload.request(), {})));
    for (const auto& rank : stage.rig.lane_times()) EXPECT_EQ(rank.size(), 1U);
    const auto configuration = stage.strategy();
    const auto time = stage.workload.run_unchecked(configuration);
    const auto times = stage.rig.lane_times();
    ASSERT_EQ(times.size(), static_cast<std::size_t>(stage.ranks.size()));
    Nanoseconds latest{};
    for (std::size_t rank = 0; rank < times.size(); ++rank) {
      ASSERT_EQ(times[rank].size(), configuration.lanes[rank].lanes.size());
      for (const auto& lane : times[rank]) {
        EXPECT_GE(lane.start, Nanoseconds(0));
        EXPECT_GE(lane.end, lane.start);
        latest = std::max(latest, lane.end);
      }
    }
    EXPECT_EQ(latest, time);
  };
  test::on_ranks_here(2, look);
  test::on_ranks_apart(2, look);
}

}  // namespace
}  // namespace conccl::bench
