// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Collectives on compute units whose times alone were measured, and flags that are seen late.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/c3/model/support.hpp"

namespace conccl::c3 {
namespace {

using testing::Each;
using testing::Field;
using testing::SizeIs;

/// By its cost alone a gather of 400,000 bytes would take 12 us.
Machine tabled_machine() {
  Machine machine = plain_machine();
  machine.baseline["all_gather"].cost = {2000, 1 / 40.0};
  machine.baseline["all_gather"].times = {{400'000, 15'000}, {800'000, 35'000}};
  return machine;
}

Nanoseconds kernels_alone(const Machine& machine, Bytes block) {
  return collective_alone(machine, plain_gather(block), plan::Form::compute);
}

TEST(CollectiveTimes, AreTakenAtTheirPoints) {
  EXPECT_EQ(kernels_alone(tabled_machine(), 100'000), Nanoseconds(15'000));
  EXPECT_EQ(kernels_alone(tabled_machine(), 200'000), Nanoseconds(35'000));
}

TEST(CollectiveTimes, AreLinearBetweenPoints) {
  EXPECT_EQ(kernels_alone(tabled_machine(), 125'000), Nanoseconds(20'000));
  EXPECT_EQ(kernels_alone(tabled_machine(), 175'000), Nanoseconds(30'000));
}

TEST(CollectiveTimes, AreTheFirstOnesBelowIt) {
  EXPECT_EQ(kernels_alone(tabled_machine(), 64), Nanoseconds(15'000));
  EXPECT_EQ(kernels_alone(tabled_machine(), 99'968), Nanoseconds(15'000));
}

/// 35 us without the latency of 2 us are for 800,000 bytes: half as many more take half of that.
TEST(CollectiveTimes, GoOnAtTheRateOfTheLast) {
  EXPECT_EQ(kernels_alone(tabled_machine(), 300'000), Nanoseconds(35'000 + 16'500));
}

TEST(CollectiveTimes, StayWhereTheLatencyIsAllOfTheLast) {
  Machine machine = tabled_machine();
  machine.baseline["all_gather"].cost.fixed_ns = 40'000;
  EXPECT_EQ(kernels_alone(machine, 200'000), Nanoseconds(35'000));
  EXPECT_EQ(kernels_alone(machine, 300'000), Nanoseconds(35'000));
}

TEST(CollectiveTimes, AreOfThatCollectiveAndOfKernelsAlone) {
  const Machine machine = tabled_machine();
  const plan::Request exchange{plan::Collective::all_to_all, 4, 100'000, {}};
  EXPECT_EQ(collective_alone(machine, exchange, plan::Form::compute), Nanoseconds(10'000));
  EXPECT_EQ(collective_alone(machine, plain_gather(), plan::Form::dma), Nanoseconds(10'000));
}

/// 2 us are left beside the latency, and the links need 10 for the bytes.
TEST(CollectiveTimes, LeaveTheLinksTimeForTheBytes) {
  Machine machine = tabled_machine();
  machine.baseline["all_gather"].cost.fixed_ns = 13'000;
  EXPECT_EQ(kernels_alone(machine, 100'000), Nanoseconds(15'000));
  EXPECT_EQ(modelled_ns(machine, plain_plan("c3_rp", 10), {plain_task(1)}), 5'000 + 20'000);
}

/// All but its latency is slower on fewer units: 2 + 13 x 2.
TEST(CollectiveTimes, AreLongerOnFewerUnits) {
  EXPECT_EQ(modelled_ns(tabled_machine(), plain_plan("c3_rp", 10), {plain_task(1)}), 28'000);
}

Machine late_machine() {
  Machine machine = plain_machine();
  machine.model.flag_ns = 3'000;
  return machine;
}

plan::Timeline timeline_of(const Machine& machine, std::string_view strategy, int budget,
                           int microseconds) {
  const std::vector tasks{plain_task(microseconds)};
  return simulate(machine, plain_plan(strategy, budget), tasks);
}

TEST(FlagLatency, HoldsUpTheGemmBehindARunningCollective) {
  EXPECT_EQ(modelled_ns(late_machine(), plain_plan("c3_sp"), {plain_task(20)}), 23'000);
  const auto timeline = timeline_of(late_machine(), "c3_sp", 0, 20);
  ASSERT_THAT(spans_of(timeline, "gemm"), SizeIs(1));
  EXPECT_EQ(spans_of(timeline, "gemm")[0].start, Nanoseconds(3'000));
  ASSERT_THAT(spans_of(timeline, "comm0"), SizeIs(3));
  EXPECT_THAT(spans_of(timeline, "comm0"),
              Each(Field("end", &plan::Span::end, Nanoseconds(10'000))));
  EXPECT_THAT(timeline.spans, SizeIs(4U * (3 + 1))) << "nothing but copies and GEMMs";
}

TEST(FlagLatency, HoldsUpTheCollectiveBehindARunningGemm) {
  EXPECT_EQ(modelled_ns(late_machine(), plain_plan("c3_rp", 20), {plain_task(5)}), 13'000);
  const auto timeline = timeline_of(late_machine(), "c3_rp", 20, 5);
  ASSERT_THAT(spans_of(timeline, "comm0"), SizeIs(3));
  EXPECT_THAT(spans_of(timeline, "comm0"),
              Each(Field("start", &plan::Span::start, Nanoseconds(3'000))));
  EXPECT_EQ(spans_of(timeline, "gemm").at(0).start, Nanoseconds(0));
  EXPECT_THAT(timeline.spans, SizeIs(4U * (3 + 1)));
}

TEST(FlagLatency, IsTheSameWhetherOneRankStandsForAll) {
  for (const char* const strategy : {"serial", "c3_base", "c3_sp", "conccl"}) {
    const auto whole = plain_plan(strategy);
    const std::vector tasks{plain_task(20)};
    EXPECT_EQ(simulated_time(late_machine(), whole, tasks, Symmetry::used),
              simulated_time(late_machine(), whole, tasks, Symmetry::ignored))
        << strategy;
  }
}

TEST(FlagLatency, IsNoneWhereNothingComputes) {
  EXPECT_EQ(modelled_ns(late_machine(), plain_plan("serial"), {plain_task(20)}), 30'000);
  const auto timeline = timeline_of(late_machine(), "serial", 0, 20);
  ASSERT_THAT(spans_of(timeline, "comm0"), SizeIs(3));
  EXPECT_THAT(spans_of(timeline, "comm0"),
              Each(Field("start", &plan::Span::start, Nanoseconds(20'000))));
  EXPECT_THAT(timeline.spans, SizeIs(4U * (3 + 1)));
}

plan::Lane behind_flag(int flag, plan::Lane lane) {
  lane.steps.insert(lane.steps.begin(), plan::Wait{flag});
  return lane;
}

plan::Lane then_signal(plan::Lane lane, const plan::Signal& flag) {
  lane.steps.emplace_back(flag);
  return lane;
}

/// Neither makes the other late.
TEST(FlagLatency, IsNoneForLanesThatOneFlagStartsTogether) {
  auto whole = plan_of({then_signal(task_lane(0), {0, 0}), behind_flag(0, task_lane(1)),
                        behind_flag(0, task_lane(2))});
  whole.flags = 1;
  const std::vector tasks{plain_task(10), plain_task(10), plain_task(10)};
  EXPECT_EQ(modelled_ns(late_machine(), whole, tasks), 20'000);
}

/// Rank 1 computes all the while; the flag is rank 0's to raise, or its own. It also raises the
/// flag of that number of rank 0.
TEST(FlagLatency, IsOfTheRanksOwnFlagsAlone) {
  const auto two_ranks = [](int raiser) {
    auto whole = plan_of({task_lane(0)});
    whole.request.ranks = 2;
    whole.tasks = {"short", "long"};
    whole.flags = 1;
    whole.ranks.push_back({{then_signal(task_lane(1), {0, 0}), behind_flag(0, task_lane(0))}});
    auto& lanes = whole.ranks[static_cast<std::size_t>(raiser)].lanes;
    if (raiser == 1) lanes.push_back(task_lane(0));
    lanes.back() = then_signal(lanes.back(), {1, 0});
    return whole;
  };
  const std::vector tasks{plain_task(20), plain_task(30)};
  EXPECT_EQ(modelled_ns(late_machine(), two_ranks(0), tasks), 40'000);
  EXPECT_EQ(modelled_ns(late_machine(), two_ranks(1), tasks), 43'000);
}

}  // namespace
}  // namespace conccl::c3
