// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/model/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/c3/model/support.hpp"

namespace conccl::c3 {
namespace {

using plan::Collective;
using testing::HasSubstr;

const GemmSpec kGemm{{1000, 1000, 1000}};

MeasuredRow row_of(const Prediction& prediction) {
  MeasuredRow row;
  row.scenario = prediction.scenario;
  row.gemm = prediction.gemm;
  row.collective = prediction.request.collective;
  row.bytes = plan::total_bytes(prediction.request);
  row.ranks = prediction.request.ranks;
  row.strategy = prediction.strategy;
  row.budget = prediction.budget;
  row.times = {to_ms(prediction.t_gemm), to_ms(prediction.t_comm), to_ms(prediction.t_c3)};
  return row;
}

/// What the model says of two scenarios under every strategy, as if it had been measured.
std::vector<MeasuredRow> rows_on(const Machine& machine) {
  Suite suite;
  for (const Collective collective : plan::all_collectives()) {
    Scenario scenario;
    scenario.name = "some";
    scenario.gemm = kGemm;
    scenario.collective = collective;
    scenario.bytes = kMiB;
    suite.scenarios.push_back(scenario);
  }
  std::vector<MeasuredRow> rows;
  for (const Prediction& each : predict_suite(machine, suite, strategies())) {
    rows.push_back(row_of(each));
  }
  return rows;
}

MeasuredRow row_under(const Machine& machine, std::string_view strategy) {
  for (const MeasuredRow& row : rows_on(machine)) {
    if (row.strategy == strategy) return row;
  }
  throw std::out_of_range(std::string(strategy));
}

ComparedRow compared(const Machine& machine, const MeasuredRow& row,
                     Isolated isolated = Isolated::model) {
  return compare(machine, std::vector{row}, isolated).rows.at(0);
}

TEST(Compare, TheModelAgreesWithItself) {
  const Machine machine = plain_machine();
  const auto rows = rows_on(machine);
  ASSERT_EQ(rows.size(), 2 * strategies().size());
  for (const Isolated isolated : {Isolated::model, Isolated::measured}) {
    const Comparison comparison = compare(machine, rows, isolated);
    ASSERT_EQ(comparison.rows.size(), rows.size());
    for (const ComparedRow& row : comparison.rows) {
      EXPECT_EQ(row.error.t_gemm, 0) << row.measured.strategy;
      EXPECT_EQ(row.error.t_comm, 0) << row.measured.strategy;
      EXPECT_EQ(row.error.t_c3, 0) << row.measured.strategy;
    }
  }
}

TEST(Compare, AnErrorIsPredictedOverMeasuredLessOne) {
  const Machine machine = plain_machine();
  MeasuredRow row = row_under(machine, "conccl");
  row.times.t_gemm_ms *= 2;
  row.times.t_comm_ms *= 0.8;
  row.times.t_c3_ms *= 1.1;
  const ComparedRow found = compared(machine, row);
  EXPECT_NEAR(found.error.t_gemm, -0.5, 1e-12);
  EXPECT_NEAR(found.error.t_comm, 0.25, 1e-12);
  EXPECT_NEAR(found.error.t_c3, -1 / 11.0, 1e-12);
}

TEST(Compare, PredictsWithTheBudgetOfTheRow) {
  const Machine machine = plain_machine();
  MeasuredRow row = row_under(machine, "c3_rp");
  row.budget = row.budget == 80 ? 40 : 80;
  const ComparedRow found = compared(machine, row);
  EXPECT_GT(found.predicted.t_c3_ms, row.times.t_c3_ms) << "the row's was the best";
}

TEST(Compare, TakesTheGemmsTimeFromTheRow) {
  const Machine machine = plain_machine();
  MeasuredRow row = row_under(machine, "serial");
  row.times.t_gemm_ms *= 3;
  const ComparedRow given = compared(machine, row, Isolated::measured);
  EXPECT_EQ(given.error.t_gemm, 0);
  const ComparedRow predicted = compared(machine, row);
  EXPECT_NEAR(predicted.error.t_gemm, -2 / 3.0, 1e-12);
  const double longer = given.predicted.t_c3_ms - predicted.predicted.t_c3_ms;
  EXPECT_NEAR(longer, row.times.t_gemm_ms * 2 / 3, 1e-5) << "one after the other";
}

/// 6 MB at 1,000 GB/s are 6 us: in 1 us they cannot all have been moved.
TEST(Compare, AGemmThatIsTooFastMovesWhatItCan) {
  const Machine machine = plain_machine();
  MeasuredRow row = row_under(machine, "serial");
  const double comm_ms = row.times.t_c3_ms - row.times.t_gemm_ms;
  row.times.t_gemm_ms = 1e-3;
  const ComparedRow found = compared(machine, row, Isolated::measured);
  EXPECT_NEAR(found.predicted.t_c3_ms, comm_ms + 1e-3, 1e-5);
}

TEST(WithTime, LimitsBytesByWhatFits) {
  const Machine machine = plain_machine();
  TaskCost cost = gemm_cost(machine, kGemm);
  cost.cache_bytes = 5e5;
  const TaskCost shorter = with_time(machine, cost, Nanoseconds(1000));
  EXPECT_EQ(shorter.alone, Nanoseconds(1000));
  EXPECT_EQ(shorter.memory_bytes, 1e6);
  EXPECT_EQ(shorter.cache_bytes, 5e5);
  EXPECT_EQ(shorter.slowdown, cost.slowdown);
  EXPECT_EQ(with_time(machine, cost, Nanoseconds(30'000)).memory_bytes, cost.memory_bytes);
}

/// A limit of 4 thread blocks leaves the GEMM 96 of 100 units, whole steps of 8; no partition
/// has 4.
TEST(Compare, AVendorsBlocksNeedNoPartition) {
  Machine machine = plain_machine();
  machine.model.unit_step = 4;
  MeasuredRow row = row_under(machine, "c3_rp");
  row.budget = 4;
  const double expected = compared(machine, row).predicted.t_c3_ms;
  machine.model.unit_step = 8;
  EXPECT_EQ(compared(machine, row).predicted.t_c3_ms, expected);
}

TEST(Compare, CountsWhatIsNotModelled) {
  const Machine machine = plain_machine();
  auto rows = rows_on(machine);
  rows[0].strategy = "nccl_ce";
  rows[1].strategy = "c3_base_own";
  rows[2].strategy = "nccl_ce";
  rows[2].ranks = 1;
  const Comparison comparison = compare(machine, rows);
  EXPECT_EQ(comparison.rows.size(), rows.size() - 3);
  EXPECT_EQ(comparison.not_modelled,
            (std::map<std::string, int>{{"c3_base_own", 1}, {"nccl_ce", 2}}));
}

TEST(Compare, SaysWhereItExtrapolates) {
  Machine machine = plain_machine();
  machine.model.fitted_from = 4 * kMiB;
  machine.model.fitted_to = 8 * kMiB;
  const Comparison comparison = compare(machine, rows_on(machine));
  for (const ComparedRow& row : comparison.rows) {
    ASSERT_EQ(row.extrapolated.size(), 1U);
    EXPECT_THAT(row.extrapolated[0], HasSubstr("the model was fitted to 4M .. 8M"));
  }
  EXPECT_EQ(overall_errors(comparison).extrapolated, static_cast<int>(comparison.rows.size()));
}

TEST(Compare, RefusesWhatDoesNotFitTheMachine) {
  const std::pair<std::function<void(MeasuredRow&)>, const char*> changes[] = {
      {[](MeasuredRow& row) { row.ranks = 2; }, "2 ranks, but machine \"plain\" has 4 devices"},
      {[](MeasuredRow& row) { row.budget = 15; }, "budget 15 leaves 85 compute units"},
      {[](MeasuredRow& row) { row.budget = 0; }, "budget 0 is not in 1 .. 90"},
      {[](MeasuredRow& row) { row.budget = 95; }, "budget 95 is not in"},
      {[](MeasuredRow& row) { row.times.t_comm_ms = 0; }, "a time of 0 ms; expected one over"},
      {[](MeasuredRow& row) { row.bytes = 255; }, "255 bytes are too few"},
      {[](MeasuredRow& row) { row.strategy = "serial"; }, "budget 20 is not in 0 .. 0"},
      {[](MeasuredRow& row) { row.strategy = "nccl_ce"; },
       "none of 1 results can be predicted; expected one of serial c3_base"},
  };
  const Machine machine = plain_machine();
  for (const auto& [change, part] : changes) {
    MeasuredRow row = row_under(machine, "c3_rp");
    row.budget = 20;
    change(row);
    EXPECT_THAT(input_error([&] { (void)compared(machine, row); }), HasSubstr(part));
  }
  EXPECT_THAT(input_error([&] { (void)compare(machine, {}); }), HasSubstr("none of 0 results"));
}

TEST(Compare, NamesTheRowThatItRefuses) {
  Machine machine = plain_machine();
  MeasuredRow row = row_under(machine, "conccl");
  row.study = "study.json";
  machine.device.dma_engines = 0;
  EXPECT_EQ(input_error([&] { (void)compared(machine, row); }),
            "study.json: scenario some, strategy conccl: the device has no DMA engines");
  machine.model = {};
  row.strategy = "serial";
  EXPECT_THAT(input_error([&] { (void)compared(machine, row); }), HasSubstr("model is not known"));
}

ComparedRow with_errors(std::string strategy, Collective collective, const TimeErrors& error) {
  ComparedRow row;
  row.measured.strategy = std::move(strategy);
  row.measured.collective = collective;
  row.error = error;
  return row;
}

TEST(ErrorSummaries, AreOfTheRowsThatTheyName) {
  Comparison comparison;
  comparison.rows = {with_errors("conccl", Collective::all_to_all, {0.01, 0.02, -0.20}),
                     with_errors("conccl", Collective::all_gather, {0.10, -0.30, 0.04}),
                     with_errors("serial", Collective::all_gather, {0, 0, 0.01}),
                     with_errors("conccl", Collective::all_gather, {-0.20, 0.10, -0.06}),
                     with_errors("conccl", Collective::all_gather, {0.30, 0.20, 0.20})};
  comparison.rows[1].extrapolated = {"a line", "another"};
  const auto summaries = errors_by_strategy(comparison);
  ASSERT_EQ(summaries.size(), 3U);
  EXPECT_EQ(summaries[0].strategy, "serial");
  EXPECT_EQ(summaries[0].rows, 1);
  const ErrorSummary& gathers = summaries[1];
  EXPECT_EQ(gathers.strategy, "conccl");
  EXPECT_EQ(gathers.collective, Collective::all_gather);
  EXPECT_EQ(gathers.rows, 3);
  EXPECT_DOUBLE_EQ(gathers.median_gemm, 0.20);
  EXPECT_DOUBLE_EQ(gathers.median_comm, 0.20);
  EXPECT_DOUBLE_EQ(gathers.median_c3, 0.06);
  EXPECT_NEAR(gathers.mean_c3, 0.06, 1e-12);
  EXPECT_EQ(gathers.worst, 4U);
  EXPECT_EQ(gathers.over_near, 2);
  EXPECT_EQ(gathers.over_far, 1);
  EXPECT_EQ(gathers.extrapolated, 1);
  EXPECT_EQ(summaries[2].collective, Collective::all_to_all);
  const ErrorSummary all = overall_errors(comparison);
  EXPECT_EQ(all.rows, 5);
  EXPECT_TRUE(all.strategy.empty());
  EXPECT_FALSE(all.collective.has_value());
  EXPECT_EQ(all.worst, 0U) << "the first of equal ones";
  EXPECT_NEAR(all.mean_c3, -0.01 / 5, 1e-12);
  EXPECT_EQ(all.over_far, 2);
}

TEST(ErrorSummaries, NeedARow) { EXPECT_THROW((void)overall_errors({}), BrokenInvariant); }

TEST(IsolatedNames, ReadBack) {
  for (const Isolated isolated : {Isolated::model, Isolated::measured}) {
    EXPECT_EQ(parse_isolated(name_of(isolated)), isolated);
  }
  EXPECT_THAT(input_error([] { (void)parse_isolated("guessed"); }),
              HasSubstr("\"guessed\": expected model or measured"));
}

}  // namespace
}  // namespace conccl::c3
