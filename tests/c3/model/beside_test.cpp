// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// GEMMs and collectives that slow each other beyond shared resources, by kind of GEMM.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/c3/model/support.hpp"

namespace conccl::c3 {
namespace {

/// A factor that is not the one in question: seen at once where it should not be.
constexpr double kOther = 7;

/// It loses 20 % beside what runs at half its speed, which it makes it do.
TaskCost task_beside(int microseconds, double BesideFacts::* gemm_by,
                     double BesideFacts::* by_gemm) {
  TaskCost cost = plain_task(microseconds);
  cost.beside = {kOther, kOther, kOther, kOther, kOther, kOther};
  cost.beside.*gemm_by = 1.5;
  cost.beside.*by_gemm = 2;
  return cost;
}

/// The copies to three peers fill the links: 20 us for 10, in which the GEMM loses 4.
TEST(Beside, DmaCopiesThatFillTheLinksAndAGemmSlowEachOther) {
  const auto gemm = [](int microseconds) {
    return task_beside(microseconds, &BesideFacts::gemm_by_dma, &BesideFacts::dma_by_gemm);
  };
  const auto whole = plain_plan("conccl");
  EXPECT_EQ(modelled_ns(plain_machine(), whole, {gemm(100)}), 104'000);
  // 1 us of a GEMM takes 1.25: 0.625 us of the copies are done.
  EXPECT_EQ(modelled_ns(plain_machine(), whole, {gemm(1)}), 1'250 + 9'375);
}

/// The copies fill the ways to the peers, which together are half the device's links.
TEST(Beside, AGemmIsSlowedByThePartOfTheLinksThatIsFilled) {
  Machine machine = plain_machine();
  machine.link.device_gbps = 60;
  const auto gemm = task_beside(100, &BesideFacts::gemm_by_dma, &BesideFacts::dma_by_gemm);
  // For 20 us at 1 / (1 + 0.5 x 0.5 x 0.5), which is 8 / 9.
  EXPECT_NEAR(modelled_ns(machine, plain_plan("conccl"), {gemm}), 100'000 + 20'000 / 9.0, 1);
}

TEST(Beside, KernelsAndAGemmSlowEachOther) {
  const auto gemm = [](int microseconds) {
    return task_beside(microseconds, &BesideFacts::gemm_by_kernels, &BesideFacts::kernels_by_gemm);
  };
  const auto whole = plain_plan("c3_rp", 50);
  EXPECT_EQ(modelled_ns(plain_machine(), whole, {gemm(100)}), 104'000);
  EXPECT_EQ(modelled_ns(plain_machine(), whole, {gemm(1)}), 1'250 + 9'375);
}

/// Twice the units that fill the links: half their speed is the links'.
TEST(Beside, KernelsWithUnitsToSpareLoseNothing) {
  Machine machine = plain_machine();
  machine.baseline["all_gather"].compute_units = 40;
  const auto gemm = task_beside(100, &BesideFacts::gemm_by_kernels, &BesideFacts::kernels_by_gemm);
  // For 10 us at 2 / 3.
  EXPECT_NEAR(modelled_ns(machine, plain_plan("c3_rp", 50), {gemm}), 100'000 + 10'000 / 3.0, 1);
}

/// By a task's speed: half the units, half the excess.
TEST(Beside, ASlowerGemmSlowsLess) {
  TaskCost gemm = task_beside(1000, &BesideFacts::gemm_by_dma, &BesideFacts::dma_by_gemm);
  gemm.beside.gemm_by_dma = 0;
  gemm.slowdown = {{50, 2}, {100, 1}};
  const std::vector tasks{gemm};
  const auto timeline = simulate(plain_machine(), plain_plan("conccl_rp", 50), tasks);
  EXPECT_EQ(spans_of(timeline, "comm0").at(0).end, Nanoseconds(15'000));
}

/// Units that it shares with kernels, which take 20 of 100 for 10 us: at half its speed.
TEST(Beside, AGemmThatIsSqueezedWaitsForMoreThanItsUnits) {
  Machine machine = plain_machine();
  machine.model.kernel_step = 10;
  TaskCost gemm = plain_task(100);
  gemm.slowdown = {{100, 1}};
  gemm.beside.kernels_by_gemm = 1;
  gemm.beside.gemm_squeezed = 1;
  const double units_alone = modelled_ns(machine, plain_plan("c3_sp"), {gemm});
  const double in_a_partition = modelled_ns(machine, plain_plan("c3_rp", 20), {gemm});
  gemm.beside.gemm_squeezed = 1.6;
  // 0.8 of its speed for 10 us, and then 0.5 of it.
  EXPECT_EQ(modelled_ns(machine, plain_plan("c3_sp"), {gemm}) - units_alone, 3'000);
  // A partition's kernel is chosen for its units.
  EXPECT_EQ(modelled_ns(machine, plain_plan("c3_rp", 20), {gemm}), in_a_partition);
}

plan::Lane local_lane(Bytes bytes) {
  plan::Lane lane;
  lane.label = "own";
  lane.steps.emplace_back(
      plan::Copy{{0, plan::BufferKind::send, 0}, {0, plan::BufferKind::recv, 0}, bytes});
  return lane;
}

/// Engines of 10 GB/s, 50 within a device.
Machine local_machine() {
  Machine machine = plain_machine();
  machine.model.dma_gbps = 10;
  machine.model.dma_local_gbps = 50;
  return machine;
}

TEST(Beside, CopiesWithinADeviceHaveARateOfTheirOwn) {
  Machine machine = local_machine();
  const auto whole = plan_of({local_lane(1'000'000)});
  EXPECT_EQ(modelled_ns(machine, whole), 20'000);
  EXPECT_EQ(modelled_ns(machine, plain_plan("conccl"), {plain_task(1)}), 10'000) << "to peers";
  machine.model.dma_local_gbps = 0;
  EXPECT_EQ(modelled_ns(machine, whole), 100'000) << "as to peers";
  machine.model.dma_local_gbps = 50;
  machine.model.dma_gbps = 0;
  EXPECT_EQ(modelled_ns(machine, whole), 20'000) << "of others nothing is known";
  machine.model.dma_local_gbps = 0;
  EXPECT_EQ(modelled_ns(machine, whole), 2'000) << "what memory allows";
}

TEST(Beside, TwoCopiesShareTheirEngine) {
  Machine machine = local_machine();
  const auto whole = plan_of({local_lane(1'000'000), local_lane(1'000'000)});
  EXPECT_EQ(modelled_ns(machine, whole), 20'000);
  machine.device.dma_engines = 1;
  EXPECT_EQ(modelled_ns(machine, whole), 40'000);
}

/// 40 us for 20, in which the GEMM loses 8.
TEST(Beside, CopiesWithinTheDeviceAndAGemmSlowEachOther) {
  const auto whole = plan_of({local_lane(1'000'000), task_lane(0)});
  const auto gemm = [](int microseconds) {
    return task_beside(microseconds, &BesideFacts::gemm_by_local, &BesideFacts::local_by_gemm);
  };
  EXPECT_EQ(modelled_ns(local_machine(), whole, {gemm(100)}), 108'000);
  EXPECT_EQ(modelled_ns(local_machine(), whole, {gemm(1)}), 1'250 + 19'375);
}

TEST(Beside, AKernelThatCopiesWithinTheDeviceIsLeftToMemory) {
  plan::Lane kernel = local_lane(1'000'000);
  kernel.engine = plan::Engine::compute;
  kernel.share = {plan::Share::Kind::only, 50};
  const auto whole = plan_of({kernel, task_lane(0, {plan::Share::Kind::all_but, 50})});
  const std::vector tasks{
      task_beside(100, &BesideFacts::gemm_by_kernels, &BesideFacts::kernels_by_gemm)};
  const auto timeline = simulate(plain_machine(), whole, tasks);
  EXPECT_EQ(spans_of(timeline, "own").at(0).end, Nanoseconds(2'000));
  EXPECT_EQ(spans_of(timeline, "task0").at(0).end, Nanoseconds(100'000));
}

TEST(Beside, WithoutFactorsOfItsKindTheMachinesCountBothWays) {
  Machine machine = plain_machine();
  machine.model.beside_kernels = 1.5;
  machine.model.beside_dma = 2;
  // The collective at 2 / 3: 15 us, in which the GEMM runs at 1 / (1 + 0.5 x 2 / 3).
  EXPECT_NEAR(modelled_ns(machine, plain_plan("c3_rp", 50), {plain_task(100)}), 103'750, 1);
  // At 1 / 2: 20 us, in which the GEMM runs at 1 / (1 + 1 / 2).
  EXPECT_NEAR(modelled_ns(machine, plain_plan("conccl"), {plain_task(100)}), 100'000 + 20'000 / 3.0,
              1);
}

TEST(Beside, TheMachinesFactorsSayNothingOfCopiesWithinADevice) {
  Machine machine = local_machine();
  machine.model.beside_kernels = machine.model.beside_dma = kOther;
  const auto whole = plan_of({local_lane(1'000'000), task_lane(0)});
  EXPECT_EQ(modelled_ns(machine, whole, {plain_task(100)}), 100'000);
  EXPECT_EQ(modelled_ns(machine, whole, {plain_task(1)}), 20'000);
}

TEST(Beside, FactorsOfItsKindGoBeforeTheMachines) {
  Machine machine = plain_machine();
  machine.model.beside_kernels = machine.model.beside_dma = kOther;
  const auto gemm = task_beside(100, &BesideFacts::gemm_by_dma, &BesideFacts::dma_by_gemm);
  EXPECT_EQ(modelled_ns(machine, plain_plan("conccl"), {gemm}), 104'000);
  TaskCost quiet = plain_task(100);
  quiet.beside.gemm_by_local = 2;
  EXPECT_EQ(modelled_ns(machine, plain_plan("conccl"), {quiet}), 100'000)
      << "what they leave out is not at all";
}

TEST(Beside, EachKindOfGemmHasItsOwnBesideEachCollective) {
  Machine machine = plain_machine();
  const BesideFacts compute{1.1, 1.2, 1.3, 1.4, 1.5, 1.6};
  const BesideFacts memory{2.1, 2.2, 2.3, 2.4, 2.5, 2.6};
  const GemmSpec square{{1000, 1000, 1000}};
  const GemmSpec flat{{10, 1000, 1000}};
  const auto beside = [&](const GemmSpec& gemm, plan::Collective collective) {
    return gemm_cost(machine, gemm, collective).beside;
  };
  machine.model.beside["memory_bound"]["all_to_all"] = memory;
  EXPECT_EQ(beside(square, plan::Collective::all_to_all), BesideFacts{});
  machine.model.beside["compute_bound"]["all_to_all"] = compute;
  EXPECT_EQ(beside(square, plan::Collective::all_to_all), compute);
  EXPECT_EQ(beside(square, plan::Collective::all_gather), BesideFacts{});
  EXPECT_EQ(beside(flat, plan::Collective::all_to_all), memory);
  machine.model.gemms = {{flat, 5'000, {}}};
  EXPECT_EQ(beside(flat, plan::Collective::all_to_all), memory) << "measured or not";
}

/// 4 us of launch at half the speed that they have alone: 8 us, and 10 of copies.
TEST(Beside, AGemmSlowsTheLaunchOfCopies) {
  Machine machine = plain_machine();
  machine.model.dma_launch_ns = 4'000;
  TaskCost gemm = plain_task(100);
  gemm.beside.dma_launch_by_gemm = 2;
  const std::vector tasks{gemm};
  const auto copy = spans_of(simulate(machine, plain_plan("conccl"), tasks), "comm0").at(0);
  EXPECT_EQ(copy.start, Nanoseconds(8'000));
  EXPECT_EQ(copy.end, Nanoseconds(18'000));
}

/// Of 4 us one passes while the GEMM takes 2: the other three at full speed.
TEST(Beside, ALaunchIsSlowedNoLongerThanTheGemmLasts) {
  Machine machine = plain_machine();
  machine.model.dma_launch_ns = 4'000;
  TaskCost gemm = plain_task(2);
  gemm.beside.dma_launch_by_gemm = 2;
  EXPECT_EQ(modelled_ns(machine, plain_plan("conccl"), {gemm}), 2'000 + 3'000 + 10'000);
}

/// 4 us of latency and 10 of copies, twice as long both; the GEMM loses nothing.
TEST(Beside, AGemmSlowsTheLatencyOfKernelsAsItDoesThem) {
  Machine machine = plain_machine();
  machine.baseline["all_gather"].cost.fixed_ns = 4'000;
  TaskCost gemm = plain_task(100);
  gemm.beside.kernels_by_gemm = 2;
  const std::vector tasks{gemm};
  const auto kernel = spans_of(simulate(machine, plain_plan("c3_rp", 50), tasks), "comm0").at(0);
  EXPECT_EQ(kernel.end, Nanoseconds(2 * 14'000));
}

/// 20 us of a GEMM, 10 us of copies, both slowed: the whole way from the machine.
TEST(Beside, ReachesPredictions) {
  Machine machine = plain_machine();
  machine.model.memory_efficiency = machine.model.cache_gbps = 0;
  machine.device.memory_gbps = 1e9;
  machine.model.beside["compute_bound"]["all_gather"].gemm_by_dma = 1.5;
  machine.model.beside["compute_bound"]["all_gather"].dma_by_gemm = 2;
  Scenario scenario;
  scenario.name = "some";
  scenario.gemm = {{1000, 1000, 1000}};
  scenario.bytes_per_rank = 64'000;  // 6.4 us on a link
  const ScenarioModel model(machine, scenario);
  const Prediction prediction = model.predict(find_strategy("conccl"), 0);
  EXPECT_EQ(prediction.t_comm, Nanoseconds(6'400)) << "alone, nothing slows it";
  EXPECT_EQ(prediction.t_c3, Nanoseconds(20'000 + 12'800 / 5));
}

}  // namespace
}  // namespace conccl::c3
