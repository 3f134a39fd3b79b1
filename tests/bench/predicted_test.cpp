// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Reports that the model of contention makes.

#include "conccl/bench/predicted.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "conccl/bench/report_print.hpp"
#include "conccl/c3/model/predict.hpp"

namespace conccl::bench {
namespace {

using testing::HasSubstr;
using testing::Not;

c3::Suite one_shape(const std::string& bytes) {
  return c3::parse_suite(
      "schema = \"conccl.suite/1\"\nname = \"one\"\ntype = \"bf16\"\n[[scenario]]\nname = \"a\"\n"
      "gemm = \"8192x8192x8192\"\ncollectives = [\"all_gather\", \"all_to_all\"]\nbytes = \"" +
          bytes + "\"\nsource = \"test\"\n",
      "one.toml");
}

Report predicted(const std::string& bytes) {
  return predict_report(c3::load_known_machine("mi300x"), one_shape(bytes), c3::strategies());
}

TEST(PredictedReport, HasAResultPerScenarioCollectiveAndStrategy) {
  const Report report = predicted("1G");
  EXPECT_TRUE(report.predicted);
  EXPECT_EQ(report.ranks, 8);
  EXPECT_EQ(report.suite, "one");
  ASSERT_EQ(report.results.size(), 2 * c3::strategies().size());
  EXPECT_EQ(rows_of(report).size(), 2U);
  for (const Result& result : report.results) {
    EXPECT_EQ(result.source, kFromModel);
    EXPECT_EQ(result.bytes, kGiB);
    EXPECT_EQ(result.check.bytes, 0U);
    EXPECT_EQ(result.t_c3_ms.n, 1U);
    EXPECT_GE(result.t_c3_ms.median, result.t_gemm_ms.median);
    ASSERT_TRUE(result.baseline);
    EXPECT_TRUE(result.extrapolated.empty());
  }
}

TEST(PredictedReport, AgreesWithTheModel) {
  const auto machine = c3::load_known_machine("mi300x");
  const auto suite = one_shape("1G");
  const auto strategy = c3::find_strategy("conccl_rp");
  const auto prediction = c3::ScenarioModel(machine, suite.scenarios.front()).predict(strategy);
  const Report report = predict_report(machine, suite, {&strategy, 1});
  ASSERT_EQ(report.results.size(), 2U);
  const Result& result = report.results.front();
  EXPECT_EQ(result.t_c3_ms.median, to_ms(prediction.t_c3));
  EXPECT_EQ(result.budget, prediction.budget);
  EXPECT_EQ(result.sweep.size(), prediction.sweep.size());
  EXPECT_EQ(result.own.percent, c3::percent_of_ideal(c3::against_own(prediction)));
  EXPECT_EQ(result.baseline->percent, c3::percent_of_ideal(c3::against_baseline(prediction)));
}

TEST(PredictedReport, SaysThatNothingWasMeasured) {
  const Report report = predicted("1G");
  EXPECT_THAT(table_head(report), HasSubstr("a model's figures: nothing was measured here"));
  EXPECT_THAT(table_head(report), Not(HasSubstr("rounds")));
  EXPECT_THAT(table_foot(report), Not(HasSubstr("checked")));
  const auto json = nlohmann::json::parse(to_json(report));
  for (const auto& result : json["results"]) EXPECT_EQ(result["source"], "model");
}

TEST(PredictedReport, MarksWhatIsExtrapolated) {
  const Report report = predicted("1M");
  EXPECT_THAT(table_row(rows_of(report).front()), HasSubstr("*"));
  EXPECT_THAT(table_foot(report), HasSubstr("extrapolated: 1M bytes; the model was fitted to"));
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_FALSE(json["results"][0]["extrapolated"].empty());
}

TEST(PredictedReport, NamesStrategiesThatTheMachineCannotRun) {
  auto machine = c3::load_known_machine("mi300x");
  machine.device.dma_engines = 0;
  const Report report = predict_report(machine, one_shape("1G"), c3::strategies());
  ASSERT_EQ(report.skipped.size(), 2U);
  EXPECT_EQ(report.skipped[0].strategy, "conccl");
  EXPECT_THAT(report.skipped[0].reason, HasSubstr("DMA engines"));
  EXPECT_EQ(report.results.size(), 2 * (c3::strategies().size() - 2));
}

TEST(PredictedTrace, HasEveryRankOfEveryRun) {
  const auto strategy = c3::find_strategy("conccl");
  const auto trace = nlohmann::json::parse(
      predict_trace(c3::load_known_machine("mi300x"), one_shape("1G"), {&strategy, 1}));
  EXPECT_EQ(trace["otherData"]["schema"], "conccl.trace/1");
  EXPECT_THAT(trace.dump(), HasSubstr("8x MI300X (model)"));
  int processes = 0;
  for (const auto& event : trace["traceEvents"]) processes += event["name"] == "process_name";
  EXPECT_EQ(processes, 2 * 8);
}

}  // namespace
}  // namespace conccl::bench
