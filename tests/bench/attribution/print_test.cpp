// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Attributions as text and JSON, and their summary.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/bench/attribution/fake_machine.hpp"

namespace conccl::bench {
namespace {

using test::attribute_to;
using test::Truth;

TEST(AttributionPrint, JsonHasEveryFieldAndTextTheLine) {
  Truth truth;
  truth.together_ghz = 1.4;
  auto result = attribute_to(truth);
  result.scenario = "s1 all_gather";
  result.strategy = "conccl";
  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json.at("last"), "gemm");
  EXPECT_EQ(json.at("rank"), 1);
  EXPECT_DOUBLE_EQ(json.at("lost_ms"), result.loss.lost_ms);
  EXPECT_DOUBLE_EQ(json.at("spread_ms"), result.loss.spread_ms);
  EXPECT_DOUBLE_EQ(json.at("explained"), explained_share(result));
  EXPECT_EQ(json.at("causes").size(), result.causes.size());
  EXPECT_EQ(json.at("causes").at(0).at("name"), "late launch");
  EXPECT_DOUBLE_EQ(json.at("clocks").at("together_ghz"), 1.4);
  EXPECT_TRUE(json.contains("slack_ms") && json.contains("unexplained_ms"));
  const auto text = to_text(result);
  EXPECT_THAT(text, testing::StartsWith("s1 all_gather: conccl: lost 0.10"));
  EXPECT_THAT(text, testing::HasSubstr("the GEMM last, on rank 1"));
  EXPECT_THAT(text, testing::HasSubstr("clock 1.500 -> 1.400 GHz"));
  result.clocks.reset();
  result.notes = {"no clock counters here"};
  EXPECT_TRUE(nlohmann::json::parse(to_json(result)).at("clocks").is_null());
  EXPECT_THAT(to_text(result), testing::HasSubstr("  no clock counters here\n"));
}

TEST(AttributionSummary, CountsWhatIsExplainedAndNamesTheLeast) {
  const auto with_share = [](double share, const char* strategy) {
    Attribution each;
    each.scenario = "s";
    each.strategy = strategy;
    each.loss.lost_ms = 1;
    each.unexplained_ms = 1 - share;
    return each;
  };
  const std::vector<Attribution> list{with_share(0.9, "a"), with_share(0.5, "b"),
                                      with_share(0.81, "c")};
  const auto summary = summarize_attributions(list);
  EXPECT_EQ(summary.count, 3U);
  EXPECT_EQ(summary.explained, 2U);
  EXPECT_NEAR(summary.median_share, 0.81, 1e-9);
  EXPECT_NEAR(summary.least_share, 0.5, 1e-9);
  EXPECT_EQ(to_text(summary),
            "attribution: causes explain at least 80 % of 2 of 3 losses (median 81 %, least 50 %: "
            "s, b)\n");
  EXPECT_EQ(to_text(summarize_attributions({})), "attribution: no loss above 3 times its spread\n");
}

}  // namespace
}  // namespace conccl::bench
