// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Plans whose times one can compute by hand.

#include "conccl/c3/model/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/c3/model/support.hpp"

namespace conccl::c3 {
namespace {

using plan::Collective;
using plan::Form;
using plan::Share;
using testing::AllOf;
using testing::HasSubstr;

constexpr Bytes kBlock = 100'000;  // 10 us on a link of 10 GB/s

plan::Method method_of(Form form) {
  plan::Method method;
  method.form = form;
  method.engines = 4;
  method.own_block = plan::OwnBlock::own_lane;
  return method;
}

plan::Request gather() { return {Collective::all_gather, 4, kBlock, plan::Placement::in_place}; }

double time_of(const Machine& machine, const plan::Plan& plan, std::vector<TaskCost> tasks = {}) {
  return static_cast<double>(simulated_time(machine, plan, tasks).count());
}

TaskCost task_of(int microseconds) {
  TaskCost cost;
  cost.alone = std::chrono::microseconds(microseconds);
  return cost;
}

TEST(Simulate, ACollectiveTakesItsLinksTime) {
  EXPECT_EQ(time_of(plain_machine(), plan::build(gather(), method_of(Form::dma))), 10'000);
  EXPECT_EQ(time_of(plain_machine(), plan::build(gather(), method_of(Form::compute))), 10'000);
}

TEST(Simulate, EnginesAndLaunchCostTime) {
  Machine machine = plain_machine();
  machine.model.dma_launch_ns = 3000;
  machine.model.dma_copy_ns = 500;
  const auto whole = plan::build(gather(), method_of(Form::dma));
  EXPECT_EQ(time_of(machine, whole), 13'500);
  machine.model.dma_gbps = 5;
  EXPECT_EQ(time_of(machine, whole), 23'500) << "an engine that is half as fast as a link";
  machine.model.dma_gbps = 10;
  machine.device.dma_engines = 1;
  EXPECT_EQ(time_of(machine, whole), 33'500) << "three lanes on one engine";
}

TEST(Simulate, CopiesOfALaneFollowEachOther) {
  Machine machine = plain_machine();
  machine.model.dma_launch_ns = 3000;
  machine.model.dma_copy_ns = 500;
  plan::Method method = method_of(Form::dma);
  method.engines = 1;
  EXPECT_EQ(time_of(machine, plan::build(gather(), method)), 3000 + 3 * 10'500);
}

TEST(Simulate, AKernelOfTheVendorIsNoFasterThanItsBaseline) {
  Machine machine = plain_machine();
  machine.baseline["all_gather"].cost = {2000, 1 / 20.0};
  const auto whole = plan::build(gather(), method_of(Form::compute));
  EXPECT_EQ(time_of(machine, whole), 2000 + 20'000);
  EXPECT_EQ(time_of(machine, whole),
            static_cast<double>(machine.baseline["all_gather"].cost.at(4 * kBlock).count()));
}

TEST(Simulate, AGatherReadsItsBlockOnceAndAnExchangeEachOfItsBlocks) {
  Machine machine = plain_machine();
  machine.model.cache_gbps = 0;
  machine.link = {"full-mesh", 1e6, 3e6};  // memory alone limits
  machine.device.memory_gbps = 10;
  const auto dma = method_of(Form::dma);
  EXPECT_EQ(time_of(machine, plan::build(gather(), dma)), 40'000) << "1 read, 3 written";
  const plan::Request exchange{Collective::all_to_all, 4, kBlock, {}};
  EXPECT_EQ(time_of(machine, plan::build(exchange, dma)), 80'000) << "4 read, 4 written";
}

/// The GEMM first, then the collective behind its gate.
C3Request request_for(std::string_view strategy, int budget = 0) {
  DeviceShape device{100, 4};
  device.own_block = plan::OwnBlock::own_lane;
  return {find_strategy(strategy), gather(), device, budget, plan::Direction::push};
}

TEST(Simulate, TheLateKernelGetsItsShareAndThenTheRest) {
  // 10 of 20 units: half the speed. After 10 us of the GEMM half the bytes are left: 5 us more.
  EXPECT_EQ(time_of(plain_machine(), c3_plan(request_for("c3_base")), {task_of(10)}), 15'000);
}

TEST(Simulate, WithoutAShareTheLateKernelWaitsForTheFirst) {
  Machine machine = plain_machine();
  machine.model.late_share = 0;
  EXPECT_EQ(time_of(machine, c3_plan(request_for("c3_base")), {task_of(10)}), 20'000);
  EXPECT_EQ(time_of(machine, c3_plan(request_for("c3_sp")), {task_of(10)}), 10'000);
}

TEST(Simulate, AGemmGivesUnitsUpAtTheEndOfAWave) {
  TaskCost gemm = task_of(10);
  gemm.workgroups = 200;  // two waves of 100: the collective starts after 5 us
  EXPECT_EQ(time_of(plain_machine(), c3_plan(request_for("c3_base")), {gemm}), 17'500);
}

TEST(Simulate, InItsLastWaveAGemmDoesNotGrow) {
  Machine machine = plain_machine();
  TaskCost gemm = task_of(100);
  gemm.slowdown = {{100, 1}};
  gemm.workgroups = 80;  // on the 80 units beside the collective: one wave, 125 us
  EXPECT_EQ(time_of(machine, c3_plan(request_for("c3_sp")), {gemm}), 125'000);
  gemm.workgroups = 800;  // others wait for units: after 10 us it has them all
  EXPECT_EQ(time_of(machine, c3_plan(request_for("c3_sp")), {gemm}), 102'000);
}

TEST(Simulate, TasksLoseUnitsByTheirTable) {
  TaskCost gemm = task_of(10);
  gemm.slowdown = {{50, 2}, {100, 1}};
  const auto whole = c3_plan(request_for("c3_rp", 50));
  EXPECT_EQ(time_of(plain_machine(), whole, {gemm}), 20'000);
}

TEST(Simulate, InterferenceSlowsBoth) {
  Machine machine = plain_machine();
  machine.model.beside_dma = 1.25;
  // Both at 1: the collective at 0.8, so the GEMM at 1 / (1 + 0.25 x 0.8).
  const auto whole = c3_plan(request_for("conccl"));
  EXPECT_NEAR(time_of(machine, whole, {task_of(100)}), 100'000 + 12'500 * (1 - 1 / 1.2), 1);
  EXPECT_EQ(time_of(machine, whole, {task_of(1)}), 10'240) << "1.2 us at 0.8";
}

TEST(Simulate, ThePowerCapLowersTheClockOfTheGemmAlone) {
  Machine machine = plain_machine();
  machine.model.power = {500, 100, 400, 0, 100, 2};
  // Beside the collective 300 W are left of 400: the clock falls to their square root.
  const double slow = std::sqrt(0.75);
  const auto whole = c3_plan(request_for("conccl"));
  EXPECT_NEAR(time_of(machine, whole, {task_of(100)}), 100'000 + 10'000 * (1 - slow), 1);
  EXPECT_EQ(time_of(machine, whole, {task_of(1)}), 10'000);
}

TEST(Simulate, AGemmThatMeetsTheCapAloneIsSlowedByTheRestOnly) {
  Machine machine = plain_machine();
  machine.model.power = {500, 100, 1600, 0, 300, 2};
  EXPECT_EQ(time_of(machine, plan_of({task_lane(0)}), {task_of(100)}), 100'000);
  // Alone 400 W are there for it, beside the collective 100: half the clock.
  const auto whole = c3_plan(request_for("conccl"));
  EXPECT_NEAR(time_of(machine, whole, {task_of(100)}), 105'000, 1);
}

/// Faster on fewer units by moving less: the two fill the memory, and no more.
TEST(Simulate, AGainFromFewerUnitsIsOneOfBytes) {
  TaskCost gemm = task_of(200);
  gemm.memory_bytes = 0.75 * 1000 * 200'000;
  gemm.slowdown = {{90, 0.75}, {100, 1}};
  TaskCost other = task_of(100);
  other.memory_bytes = 0.25 * 1000 * 100'000;
  const auto whole =
      plan_of({task_lane(0, {Share::Kind::all_but, 10}), task_lane(1, {Share::Kind::only, 10})});
  EXPECT_EQ(time_of(plain_machine(), whole, {gemm, other}), 150'000);
  EXPECT_EQ(time_of(plain_machine(), plan_of({task_lane(0, {Share::Kind::all_but, 10})}), {gemm}),
            150'000);
}

TEST(Simulate, GivesASpanForEveryCopyAndTask) {
  const auto whole = c3_plan(request_for("conccl"));
  const std::array tasks{task_of(30)};
  const auto timeline = simulate(plain_machine(), whole, tasks);
  ASSERT_EQ(timeline.spans.size(), 4U * (3 + 1));
  Bytes moved = 0;
  for (const auto& span : timeline.spans) {
    moved += span.bytes;
    const bool is_gemm = span.lane == "gemm";
    EXPECT_EQ(span.unit, is_gemm ? "compute" : "dma" + span.lane.substr(4));
    EXPECT_EQ(span.start, Nanoseconds(0));
    EXPECT_EQ(span.end, is_gemm ? Nanoseconds(30'000) : Nanoseconds(10'000));
    const auto& lanes = whole.ranks[static_cast<std::size_t>(span.rank)].lanes;
    const auto lane = std::find_if(lanes.begin(), lanes.end(),
                                   [&](const plan::Lane& l) { return l.label == span.lane; });
    const auto& step = lane->steps.at(static_cast<std::size_t>(span.step));
    EXPECT_TRUE(is_gemm ? std::holds_alternative<plan::Compute>(step)
                        : std::holds_alternative<plan::Copy>(step));
  }
  EXPECT_EQ(moved, 12 * kBlock);
}

TEST(Simulate, TheTimelineIsTheSameWhetherOneRankStandsForAll) {
  const auto whole = c3_plan(request_for("c3_base"));
  const std::array tasks{task_of(10)};
  const auto one = simulate(plain_machine(), whole, tasks, Symmetry::used);
  const auto all = simulate(plain_machine(), whole, tasks, Symmetry::ignored);
  ASSERT_EQ(one.spans.size(), all.spans.size());
  for (std::size_t i = 0; i < one.spans.size(); ++i) {
    EXPECT_EQ(one.spans[i].rank, all.spans[i].rank);
    EXPECT_EQ(one.spans[i].start, all.spans[i].start);
    EXPECT_EQ(one.spans[i].end, all.spans[i].end);
  }
}

/// Rank 2 has a longer task than the others.
TEST(Simulate, RanksMayDiffer) {
  auto whole = plan::build(gather(), method_of(Form::dma));
  whole.tasks = {"short", "long"};
  for (int rank = 0; rank < 4; ++rank) {
    whole.ranks[static_cast<std::size_t>(rank)].lanes.push_back(task_lane(rank == 2 ? 1 : 0));
  }
  EXPECT_EQ(time_of(plain_machine(), whole, {task_of(20), task_of(70)}), 70'000);
}

TEST(Simulate, RefusesAPlanThatNeverEnds) {
  auto whole = plan_of({task_lane(0)});
  whole.flags = 1;
  whole.ranks[0].lanes[0].steps.emplace_back(plan::Wait{0});
  try {
    (void)time_of(plain_machine(), whole, {task_of(1)});
    ADD_FAILURE() << "not refused";
  } catch (const CheckFailed& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("never ends"), HasSubstr("rank 0, lane 0"),
                                    HasSubstr("waits for a flag")));
  }
}

TEST(Simulate, RefusesNumbersThatThePlanHasNot) {
  auto whole = plan_of({task_lane(0)});
  whole.ranks[0].lanes[0].steps.emplace_back(plan::Signal{0, 3});
  const auto run = [&] { (void)time_of(plain_machine(), whole, {task_of(1)}); };
  EXPECT_THAT(input_error(run), HasSubstr("flag 3 is not in"));
  const auto other = plan_of({task_lane(2)});
  EXPECT_THAT(input_error([&] { (void)time_of(plain_machine(), other, {task_of(1)}); }),
              HasSubstr("task 2 has no cost"));
}

TEST(Simulate, RefusesATaskThatMovesMoreThanMemoryCan) {
  TaskCost task = task_of(1);
  task.memory_bytes = 2e6;
  EXPECT_THAT(input_error([&] { (void)time_of(plain_machine(), plan_of({task_lane(0)}), {task}); }),
              AllOf(HasSubstr("machine \"plain\""), HasSubstr("2.00 times")));
}

TEST(Simulate, NamesWhatTheMachineLacks) {
  const auto kernels = plan::build(gather(), method_of(Form::compute));
  const auto refusal = [&](auto change) {
    Machine machine = plain_machine();
    change(machine);
    return input_error([&] { (void)time_of(machine, kernels); });
  };
  EXPECT_THAT(refusal([](Machine& m) { m.model = {}; }), HasSubstr("model is not known"));
  EXPECT_THAT(refusal([](Machine& m) { m.baseline.clear(); }), HasSubstr("baseline.all_gather"));
  EXPECT_THAT(refusal([](Machine& m) { m.baseline["all_gather"].compute_units = 0; }),
              HasSubstr("baseline.all_gather.compute_units"));
  EXPECT_THAT(refusal([](Machine& m) { m.model.slowdown.clear(); }),
              HasSubstr("model.slowdown.all_gather"));
  EXPECT_THAT(refusal([](Machine& m) { m.device.compute_units = 0; }),
              HasSubstr("device.compute_units"));
}

}  // namespace
}  // namespace conccl::c3
