// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/model/predict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/c3/model/support.hpp"

namespace conccl::c3 {
namespace {

using plan::Collective;
using testing::HasSubstr;

Scenario scenario_of(Bytes bytes) {
  Scenario scenario;
  scenario.name = "some";
  scenario.gemm = {{1000, 1000, 1000}};
  scenario.bytes = bytes;
  return scenario;
}

/// 2 GFLOP at 100 TFLOP/s are 20 us; 6 MB through memory are 6 us.
TEST(GemmCost, IsTheRooflineWithItsBytes) {
  Machine machine = plain_machine();
  const TaskCost cost = gemm_cost(machine, {{1000, 1000, 1000}});
  EXPECT_EQ(cost.alone, Nanoseconds(20'000));
  EXPECT_EQ(cost.memory_bytes, 6e6);
  EXPECT_EQ(cost.workgroups, 0) << "no tile is known";
  EXPECT_EQ(cost.slowdown, machine.model.slowdown.at("compute_bound"));
}

TEST(GemmCost, CountsTilesAndWhatTheyRead) {
  Machine machine = plain_machine();
  machine.model.tile_m = 250;
  machine.model.tile_n = 500;
  const TaskCost cost = gemm_cost(machine, {{1000, 1000, 1000}});
  EXPECT_EQ(cost.workgroups, 8);
  EXPECT_EQ(cost.cache_bytes, 2 * (2e6 + 4e6 + 1e6));
  machine.model.cache_gbps = 100;
  EXPECT_EQ(gemm_cost(machine, {{1000, 1000, 1000}}).alone, Nanoseconds(140'000));
}

TEST(GemmCost, TakesTheTableOfItsKind) {
  const Machine machine = plain_machine();
  const TaskCost cost = gemm_cost(machine, {{10, 1000, 1000}});
  EXPECT_EQ(cost.slowdown, machine.model.slowdown.at("memory_bound"));
}

/// The estimate would be 20 us.
TEST(GemmCost, IsTheMeasuredTimeOfThatShapeAndType) {
  Machine machine = plain_machine();
  machine.model.gemm_launch_ns = 500;
  machine.model.gemms = {{{{1000, 1000, 1000}}, 23'456.5, {}}};
  const TaskCost cost = gemm_cost(machine, {{1000, 1000, 1000}});
  EXPECT_EQ(cost.alone, Nanoseconds(23'457));
  EXPECT_EQ(cost.memory_bytes, 6e6);
  EXPECT_EQ(cost.slowdown, machine.model.slowdown.at("compute_bound"));
  EXPECT_EQ(gemm_cost(machine, {{1000, 1000, 999}}).alone, Nanoseconds(20'480));
  machine.device.peak_tflops["fp16"] = 100;
  EXPECT_EQ(gemm_cost(machine, {{1000, 1000, 1000}, GemmType::fp16}).alone, Nanoseconds(20'500));
  machine.device.gemm_efficiency = 0;  // the estimate's alone
  EXPECT_EQ(gemm_cost(machine, {{1000, 1000, 1000}}).alone, Nanoseconds(23'457));
}

TEST(GemmCost, TakesTheMeasuredSlowdownOfAGemmThatHasOne) {
  Machine machine = plain_machine();
  const SlowdownTable slowdown{{80, 1.5}, {100, 1}};
  machine.model.gemms = {{{{1000, 1000, 1000}}, 30'000, slowdown}};
  EXPECT_EQ(gemm_cost(machine, {{1000, 1000, 1000}}).slowdown, slowdown);
  const ScenarioModel model(machine, scenario_of(kMiB));
  EXPECT_EQ(model.predict(find_strategy("serial"), 0).t_gemm, Nanoseconds(30'000));
  EXPECT_TRUE(model.predict(find_strategy("c3_rp"), 20).extrapolated.empty());
  EXPECT_THAT(model.predict(find_strategy("c3_rp"), 30).extrapolated,
              testing::ElementsAre(HasSubstr("its slowdown is known from 80 on")));
}

TEST(GemmCost, BesideAPartitionIsKnownAsFarAsItsTableForThat) {
  Machine machine = plain_machine();
  machine.model.gemms = {
      {{{1000, 1000, 1000}}, 30'000, {{80, 1.5}, {100, 1}}, {{60, 2}, {100, 1}}}};
  const ScenarioModel model(machine, scenario_of(kMiB));
  EXPECT_TRUE(model.predict(find_strategy("c3_rp"), 40).extrapolated.empty());
  EXPECT_THAT(model.predict(find_strategy("c3_rp"), 50).extrapolated,
              testing::ElementsAre(HasSubstr("its slowdown is known from 60 on")));
}

/// 6 MB in 3 us would be twice the memory's rate, the tiles' 14 MB nearly five times the cache's.
TEST(GemmCost, MovesNoMoreInAMeasuredTimeThanMemoryAndCacheCan) {
  Machine machine = plain_machine();
  machine.model.memory_efficiency = 0.5;
  machine.device.gemm_efficiency = 0.5;
  machine.model.tile_m = 250;
  machine.model.tile_n = 500;
  machine.model.gemms = {{{{1000, 1000, 1000}}, 3'000, {}}};
  const TaskCost cost = gemm_cost(machine, {{1000, 1000, 1000}});
  EXPECT_EQ(cost.memory_bytes, 3'000 * 500);
  EXPECT_EQ(cost.cache_bytes, 3'000 * 1000);
  const ScenarioModel model(machine, scenario_of(kMiB));
  EXPECT_GE(model.predict(find_strategy("c3_base"), 0).t_c3, Nanoseconds(3'000));
}

TEST(GemmCost, CountsItsLaunchOnceWhereTheCacheLimitsIt) {
  Machine machine = plain_machine();
  machine.model.tile_m = 250;
  machine.model.tile_n = 500;
  machine.model.cache_gbps = 100;
  machine.model.gemm_launch_ns = 2'000;
  EXPECT_EQ(gemm_cost(machine, {{1000, 1000, 1000}}).alone, Nanoseconds(142'000));
}

TEST(GemmCost, HasItsOwnFactorsBesideWhereItHasAny) {
  Machine machine = plain_machine();
  machine.model.beside["compute_bound"]["all_gather"].gemm_by_dma = 1.5;
  machine.model.beside["compute_bound"]["all_gather"].dma_by_gemm = 1.75;
  machine.model.gemms = {{{{1000, 1000, 1000}}, 20'000, {}}};
  const auto beside = [&](const GemmSpec& gemm) {
    return gemm_cost(machine, gemm, plan::Collective::all_gather).beside;
  };
  EXPECT_EQ(beside({{1000, 1000, 1000}}).gemm_by_dma, 1.5);
  machine.model.gemms.front().beside["all_to_all"].gemm_by_dma = 3;
  EXPECT_EQ(beside({{1000, 1000, 1000}}).gemm_by_dma, 1.5) << "its own are another collective's";
  machine.model.gemms.front().beside["all_gather"].gemm_by_dma = 1.25;
  EXPECT_EQ(beside({{1000, 1000, 1000}}).gemm_by_dma, 1.25);
  EXPECT_EQ(beside({{1000, 1000, 1000}}).dma_by_gemm, 1.75) << "its kind's";
  EXPECT_EQ(beside({{1000, 1000, 2000}}).gemm_by_dma, 1.5);
}

/// Up to 0.4 of the time unhindered, from 0.8 on 1.2 times as long.
Machine throttled_machine() {
  Machine machine = plain_machine();
  machine.model.power.throttled = 1.2;
  machine.model.power.throttled_from = 0.4;
  machine.model.power.throttled_to = 0.8;
  return machine;
}

TEST(Throttling, GrowsInProportionBetweenItsEnds) {
  const Machine machine = throttled_machine();
  const GemmSpec gemm{{1000, 1000, 1000}};
  EXPECT_EQ(throttling(machine, gemm, 0), 1);
  EXPECT_EQ(throttling(machine, gemm, 0.4), 1);
  EXPECT_NEAR(throttling(machine, gemm, 0.5), 1.05, 1e-9);
  EXPECT_NEAR(throttling(machine, gemm, 0.8), 1.2, 1e-9);
  EXPECT_NEAR(throttling(machine, gemm, 1), 1.2, 1e-9);
}

TEST(Throttling, IsOfGemmsThatAreBoundByComputeWhereTheMachineSaysSo) {
  EXPECT_EQ(throttling(throttled_machine(), {{10, 1000, 1000}}, 1), 1);
  EXPECT_EQ(throttling(plain_machine(), {{1000, 1000, 1000}}, 1), 1);
}

TEST(ScenarioModel, SlowsAGemmThatRunsMostOfTheTime) {
  const Machine machine = throttled_machine();
  const auto t_gemm = [&](const GemmConditions& conditions) {
    return ScenarioModel(machine, scenario_of(kMiB), conditions)
        .predict(find_strategy("serial"))
        .t_gemm;
  };
  EXPECT_EQ(t_gemm({}), Nanoseconds(20'000));
  EXPECT_EQ(t_gemm({{}, 0.6}), Nanoseconds(22'000));
  EXPECT_EQ(t_gemm({Nanoseconds(30'000), 0.6}), Nanoseconds(30'000)) << "a known time is that";
}

TEST(DeviceShapeOf, GivesTheOwnBlockALaneWhereAnEngineIsLeft) {
  Machine machine = plain_machine();
  EXPECT_EQ(device_shape(machine).own_block, plan::OwnBlock::own_lane);
  EXPECT_EQ(device_shape(machine).unit_step, 10);
  machine.device.dma_engines = 3;
  EXPECT_EQ(device_shape(machine).own_block, plan::OwnBlock::first_lane);
}

TEST(ScenarioModel, SizesTheCollectiveAsTheScenarioSays) {
  const Machine machine = plain_machine();
  EXPECT_EQ(ScenarioModel(machine, scenario_of(1'000'000)).request().block, 249'984U);
  Scenario scenario = scenario_of(0);
  scenario.bytes.reset();
  scenario.bytes_per_rank = 6400;
  EXPECT_EQ(ScenarioModel(machine, scenario).request().block, 6400U);
  scenario.bytes_per_rank.reset();
  scenario.ratio = 0.5;  // of 20 us at 40 bytes a nanosecond
  EXPECT_EQ(ScenarioModel(machine, scenario).request().block, 99'968U);
}

TEST(ScenarioModel, RefusesWhatItCannotSize) {
  Machine machine = plain_machine();
  EXPECT_THAT(input_error([&] { ScenarioModel(machine, scenario_of(255)); }),
              HasSubstr("255 bytes are too few for 4 devices"));
  machine.devices = 1025;
  EXPECT_THAT(input_error([&] { ScenarioModel(machine, scenario_of(kMiB)); }),
              HasSubstr("expected at most 1024"));
}

TEST(ScenarioModel, TakesTheBestBudgetAndTheFirstOfEqualOnes) {
  const Machine machine = plain_machine();
  const ScenarioModel model(machine, scenario_of(1'000'000));
  const Prediction best = model.predict(find_strategy("c3_rp"));
  ASSERT_EQ(best.sweep.size(), 4U);
  for (const BudgetTime& point : best.sweep) {
    EXPECT_EQ(point.t_c3, model.predict(find_strategy("c3_rp"), point.budget).t_c3);
    EXPECT_TRUE(point.t_c3 > best.t_c3 || point.budget >= best.budget);
  }
  EXPECT_EQ(model.predict(find_strategy("conccl_rp")).budget, 0) << "giving up gains nothing";
}

TEST(ScenarioModel, SaysWhyAStrategyCannotRun) {
  Machine machine = plain_machine();
  machine.device.dma_engines = 0;
  const ScenarioModel model(machine, scenario_of(kMiB));
  EXPECT_THAT(input_error([&] { (void)model.predict(find_strategy("conccl")); }),
              HasSubstr("no DMA engines"));
  EXPECT_THAT(input_error([&] { (void)model.predict(find_strategy("conccl_rp")); }),
              HasSubstr("no DMA engines"));
  EXPECT_THAT(input_error([&] { (void)model.predict(find_strategy("c3_rp"), 15); }),
              HasSubstr("budget 15 is not a multiple of 10"));
}

TEST(ScenarioModel, ItsTimelineEndsWhenItsPredictionDoes) {
  const Machine machine = plain_machine();
  const ScenarioModel model(machine, scenario_of(kMiB));
  for (const Strategy& strategy : strategies()) {
    const Prediction prediction = model.predict(strategy);
    Nanoseconds end{};
    for (const auto& span : model.timeline(strategy, prediction.budget).spans) {
      end = std::max(end, span.end);
    }
    EXPECT_EQ(end, prediction.t_c3) << strategy.name;
  }
}

TEST(PredictSuite, LeavesOutWhatCannotRun) {
  Machine machine = plain_machine();
  machine.device.dma_engines = 0;
  Suite suite;
  suite.type = GemmType::bf16;
  suite.scenarios = {scenario_of(kMiB), scenario_of(2 * kMiB)};
  const auto all = predict_suite(machine, suite, strategies());
  EXPECT_EQ(all.size(), 2U * 5);
  EXPECT_EQ(means_of(all, "serial").scenarios, 2);
  EXPECT_NEAR(means_of(all, "serial").percent, 0, 1e-9);
  EXPECT_THROW((void)means_of(all, "conccl"), InputError);
  EXPECT_THROW((void)means_of(all, "serial", Collective::all_to_all), InputError);
}

TEST(Prediction, HasBothIdeals) {
  Prediction prediction;
  prediction.t_gemm = std::chrono::milliseconds(4);
  prediction.t_baseline = std::chrono::milliseconds(2);
  prediction.t_fastest = std::chrono::milliseconds(1);
  prediction.t_c3 = std::chrono::milliseconds(5);
  EXPECT_EQ(ideal_speedup(against_baseline(prediction)), 1.5);
  EXPECT_EQ(ideal_speedup(against_own(prediction)), 1.25);
}

}  // namespace
}  // namespace conccl::c3
