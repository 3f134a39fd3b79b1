// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/bench/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "conccl/bench/report_print.hpp"
#include "tests/support/golden.hpp"

namespace conccl::bench {
namespace {

using plan::Collective;

Summary summary(double median_ms) { return {median_ms, 0.5 * median_ms, 2.0 * median_ms, 9}; }

/// T_gemm 8 ms and T_comm 8 ms unless stated; percent as the definition gives it.
Result result(const std::string& scenario, Collective collective, const std::string& strategy,
              double t_c3_ms) {
  Result made;
  made.scenario = scenario;
  made.gemm = {512, 768, 1024};
  made.collective = collective;
  made.strategy = strategy;
  made.bytes = 8 * kMiB;
  made.bytes_per_peer = 2 * kMiB;
  made.ranks = 4;
  made.t_gemm_ms = summary(8);
  made.t_comm_ms = summary(8.5);
  made.t_c3_ms = summary(t_c3_ms);
  const c3::C3Times times{8, 8, t_c3_ms};
  made.own = {8, c3::speedup(times), c3::ideal_speedup(times), c3::percent_of_ideal(times),
              Interval{10, 90}};
  made.check = {288 * kMiB, 0, 0};
  return made;
}

/// A collective so short that a percentage would say nothing.
Result lopsided(const std::string& strategy) {
  Result made = result("tiny \"comm\", quoted", Collective::all_to_all, strategy, 8.125);
  made.balance = c3::Balance::g_long;
  const c3::C3Times times{8, 0.25, 8.125};
  made.own = {0.25, c3::speedup(times), c3::ideal_speedup(times), c3::percent_of_ideal(times), {}};
  return made;
}

Report made_up_report() {
  Report report;
  report.machine.name = "host";
  report.machine.backend = "host";
  report.machine.devices = 8;
  report.machine.device.compute_units = 4;
  report.machine.device.peak_tflops["fp32"] = 0.25;
  report.machine.baseline["all_gather"] = {{1000, 0.5}, 32};
  report.machine.sources["devices"] = "probed";
  report.emulation = true;
  report.gemm_library = "OpenBLAS 0.3.21, kernel Zen";
  report.suite = "llama";
  report.suite_hash = "0123456789abcdef";
  report.ranks = 4;
  report.warmup = 6;
  report.rounds = 9;
  report.rest = 0.5;
  report.seed = 7;
  report.results = {result("llama70b_qkv", Collective::all_gather, "serial", 16),
                    result("llama70b_qkv", Collective::all_gather, "conccl", 10),
                    result("llama70b_qkv", Collective::all_to_all, "serial", 20),
                    result("llama70b_qkv", Collective::all_to_all, "conccl", 8),
                    lopsided("serial"),
                    lopsided("conccl")};
  report.results[1].budget = 2;
  report.results[1].sweep = {{0, 10.5}, {2, 10}};
  report.results[1].baseline = AgainstIdeal{9, 1.7, 1.875, 80, Interval{70, 85}};
  for (std::size_t i = 2; i < 4; ++i) report.results[i].gemm.type = GemmType::fp8;
  report.skipped = {{{}, "GEMM 100x64x64 fp8: expected multiples of 16", "odd"},
                    {"c3_rp", "2 compute units cannot be split into 1 and 3"}};
  report.peers = {{"nccl", "2.28.9", {"library libnccl.so.2", "kernels"}, ""},
                  {"nccl_ce", "", {}, "needs --launch processes"}};
  return report;
}

TEST(SummarizeStrategies, MeansOfPercentsWithLopsidedScenariosLeftOut) {
  const auto rows = summarize_strategies(made_up_report());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].strategy, "serial");
  EXPECT_EQ(rows[1].strategy, "conccl");
  EXPECT_EQ(rows[1].scenarios, 3);
  EXPECT_EQ(rows[1].left_out, 1);
  ASSERT_TRUE(rows[1].percent.has_value());
  EXPECT_DOUBLE_EQ(*rows[1].percent, (60.0 + 100.0) / 2);
  EXPECT_NEAR(rows[1].speedup, (1.6 + 2.0 + 8.25 / 8.125) / 3, 1e-12);
  EXPECT_DOUBLE_EQ(*rows[0].percent, (0.0 - 20.0) / 2);
}

TEST(SummarizeStrategies, OneCollective) {
  const auto rows = summarize_strategies(made_up_report(), Collective::all_gather);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].scenarios, 1);
  EXPECT_EQ(rows[1].left_out, 0);
  EXPECT_DOUBLE_EQ(*rows[1].percent, 60);
}

TEST(SummarizeStrategies, BaselineIsOverThoseThatHaveOne) {
  Report report = made_up_report();
  auto rows = summarize_strategies(report);
  EXPECT_FALSE(rows[0].baseline_percent.has_value());
  EXPECT_DOUBLE_EQ(*rows[1].baseline_percent, 80);
  report.results[3].baseline = AgainstIdeal{9, 1.7, 1.875, 100, Interval{70, 85}};
  report.results[5].baseline = AgainstIdeal{0.1, 1.01, 1.0125, {}, {}};
  rows = summarize_strategies(report);
  EXPECT_DOUBLE_EQ(*rows[1].baseline_percent, 90);
}

TEST(SummarizeStrategies, ComparesWithTheVendorsCopiesByGeometricMean) {
  Report report = made_up_report();
  for (const auto& row : summarize_strategies(report)) {
    EXPECT_FALSE(row.over_vendor_copies.has_value());
  }
  // conccl takes 10 and 8 ms in the two; the third has no such row.
  report.results.push_back(result("llama70b_qkv", Collective::all_gather, "nccl_ce", 20));
  report.results.push_back(result("llama70b_qkv", Collective::all_to_all, "nccl_ce", 4));
  const auto rows = summarize_strategies(report);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_DOUBLE_EQ(*rows[1].over_vendor_copies, std::sqrt(0.5 * 2));
  EXPECT_DOUBLE_EQ(*rows[2].over_vendor_copies, 1);
  const auto gather = summarize_strategies(report, Collective::all_gather);
  EXPECT_DOUBLE_EQ(*gather[1].over_vendor_copies, 0.5);
}

TEST(ReportTable, ColumnsFitLongNames) {
  Result own = result("a", Collective::all_gather, "c3_sp_rp_own", 10);
  const auto titles = table_titles({"serial", "c3_sp_rp_own", "conccl"});
  const auto row = table_row({result("a", Collective::all_gather, "serial", 16), own,
                              result("a", Collective::all_gather, "conccl", 10)});
  EXPECT_EQ(titles.size(), row.size());
  EXPECT_THAT(titles, testing::HasSubstr(" c3_sp_rp_own "));
}

TEST(SummarizeStrategies, NothingLeftMeansNoPercent) {
  Report report;
  EXPECT_TRUE(summarize_strategies(report).empty());
  report.results = {lopsided("serial")};
  EXPECT_FALSE(summarize_strategies(report)[0].percent.has_value());
}

TEST(ReportTable, IsAsTheGoldenFile) {
  Report report = made_up_report();
  const auto& results = report.results;
  std::string table = table_head(report) + "\n" + table_titles({"serial", "conccl"});
  for (const std::size_t at : {0u, 2u, 4u}) table += table_row({results[at], results[at + 1]});
  EXPECT_GOLDEN("bench/report.txt", table + table_foot(report));
}

TEST(ReportTable, SaysWhatItIs) {
  Report report = made_up_report();
  report.emulation = false;
  EXPECT_THAT(table_head(report), testing::Not(testing::HasSubstr("emulation")));
  EXPECT_THAT(table_foot(report), testing::Not(testing::HasSubstr("partial")));
  report.partial = true;
  EXPECT_THAT(table_foot(report), testing::HasSubstr("partial"));
  EXPECT_EQ(table_row({}), "");
}

TEST(ReportTable, CountsWrongBytes) {
  Report report = made_up_report();
  report.results[2].check.mismatches = 5;
  report.results[3].check.gemm_mismatches = 3;
  EXPECT_THAT(table_foot(report), testing::HasSubstr("5 wrong; GEMM results: 3 wrong"));
}

TEST(ReportJson, IsAsTheGoldenFile) {
  EXPECT_GOLDEN("bench/report.json", to_json(made_up_report()));
}

TEST(ReportJson, SurvivesNamesThatAreNotText) {
  Report report = made_up_report();
  report.results[0].scenario = "\xff";
  report.partial = true;
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["results"][0]["scenario"], "\xEF\xBF\xBD");
  EXPECT_EQ(json["partial"], true);
}

TEST(ReportCsv, IsAsTheGoldenFile) { EXPECT_GOLDEN("bench/report.csv", to_csv(made_up_report())); }

}  // namespace
}  // namespace conccl::bench
