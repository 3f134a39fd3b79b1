// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "tests/cli/support.hpp"

namespace conccl::test {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kQuestion = {
    "advise", "--gemm", "8192x28672x8192", "--collective", "all_gather", "--bytes", "448M"};

std::vector<std::string> question_with(std::vector<std::string> more) {
  more.insert(more.begin(), kQuestion.begin(), kQuestion.end());
  return more;
}

TEST(AdviseCommand, PrintsEveryCandidateTheChoiceAndHowToApplyIt) {
  const auto outcome = conccl(kQuestion);
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, testing::StartsWith("a model's figures: nothing was measured here\n"));
  for (const char* name : {"serial", "c3_base", "c3_sp", "c3_rp", "c3_sp_rp", "conccl_rp"}) {
    EXPECT_THAT(outcome.out, HasSubstr(std::string("\n  ") + name + " "));
  }
  EXPECT_THAT(outcome.out, HasSubstr("\n> conccl "));
  EXPECT_THAT(outcome.out, HasSubstr("choice      conccl\n"));
  EXPECT_THAT(outcome.out, HasSubstr("why         conccl, because DMA engines"));
  EXPECT_THAT(outcome.out, HasSubstr("policy = concclPolicyDma"));
}

TEST(AdviseCommand, FollowsTheMachine) {
  const auto outcome = conccl(
      question_with({"--set", "device.dma_engines=1", "--set", "model.dma_bandwidth=1 GB/s"}));
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("choice      c3_base\n"));
  EXPECT_THAT(outcome.out, HasSubstr("enqueue the GEMM first"));
}

TEST(AdviseCommand, MarksWhatIsExtrapolated) {
  const auto outcome =
      conccl({"advise", "--gemm", "8192x8192x8192", "--collective", "all_to_all", "--bytes", "1M"});
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, testing::ContainsRegex("conccl +[0-9]+\\.[0-9]+\\*"));
  EXPECT_THAT(outcome.out, HasSubstr("* extrapolated, conccl: 1M bytes; the model was fitted to"));
}

TEST(AdviseCommand, PapersRulesSayWhatTheyAre) {
  const auto outcome = conccl(question_with({"--rules", "paper"}));
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("times are what they compute, without contention"));
  EXPECT_THAT(outcome.out, HasSubstr("not possible, because the kernel with fewer workgroups"));
  EXPECT_THAT(outcome.out, HasSubstr("passed over, because DMA alone"));
}

TEST(AdviseCommand, WritesTheSameAsJson) {
  const TemporaryDirectory directory;
  const auto outcome =
      conccl(question_with({"--strategy", "c3_rp", "--json", directory.file("advice.json")}));
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  const auto json = nlohmann::json::parse(directory.read("advice.json"));
  EXPECT_EQ(json["schema"], "conccl.advise/1");
  EXPECT_EQ(json["source"], "model");
  EXPECT_EQ(json["bytes"], 448 << 20);
  EXPECT_EQ(json["recommended"], "conccl");
  EXPECT_EQ(json["chosen"], "c3_rp");
  ASSERT_EQ(json["candidates"].size(), 7U);
  EXPECT_EQ(json["candidates"][5]["strategy"], "conccl");
  EXPECT_GT(json["candidates"][5]["t_c3_ms"], 4.0);
  EXPECT_THAT(json["sentence"], HasSubstr("c3_rp was asked for"));
  EXPECT_THAT(outcome.out, HasSubstr(json["sentence"].get<std::string>()));
  const auto& settings = json["settings"];
  EXPECT_THAT(settings.dump(), HasSubstr("NCCL_MAX_CTAS=16"));
}

TEST(AdviseCommand, JsonOnStandardOutputIsAlone) {
  const auto outcome = conccl(question_with({"--json", "-"}));
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["chosen"], "conccl");
}

TEST(AdviseCommand, RefusesBadQuestions) {
  const std::pair<std::vector<std::string>, const char*> bad[] = {
      {{"advise"}, "--gemm is missing"},
      {{"advise", "--gemm", "1x1x1", "--collective", "all_gather"}, "--bytes is missing"},
      {question_with({"--rules", "magic"}), "expected one of model, paper"},
      {question_with({"--strategy", "magic"}), "strategy \"magic\": expected one of serial"},
      {question_with({"--strategy", "conccl_rp", "--rules", "paper"}), "not possible, because"},
      {question_with({"--gemm-type", "int4"}), "bf16, fp16, fp8, fp32"},
      {question_with({"--machine", "no_such"}), "mi300x"},
      {question_with({"--machine", kWithoutModel}), "is not known"},
      {question_with({"--set", "device.wheels=4"}), "no field \"wheels\""},
      {question_with({"--evaluate", "report.json"}), "--gemm: the report has scenarios of its own"},
      {{"advise", "--evaluate", "report.json", "--strategy", "serial"}, "--strategy: expected"},
      {{"advise", "--gemm", "1x1x1", "--collective", "all_gather", "--bytes", "7"}, "too few"},
  };
  for (const auto& [arguments, part] : bad) {
    expect_error(conccl(arguments), cli::ExitCode::usage, part);
  }
}

/// The model's study of two of the suite's scenarios, changed.
class AdviseEvaluate : public testing::Test {
 protected:
  AdviseEvaluate() {
    const auto outcome =
        conccl({"c3", "--machine", "mi300x", "--gemm", "8192x28672x8192", "--collective",
                "all_gather", "--bytes", "448M", "--json", directory_.file("report.json")});
    EXPECT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
    report_ = nlohmann::json::parse(directory_.read("report.json"));
  }
  [[nodiscard]] Outcome evaluate(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"advise", "--evaluate",
                                          directory_.file_with("changed.json", report_.dump(1))};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return conccl(arguments);
  }
  [[nodiscard]] nlohmann::json& result_of(const std::string& strategy) {
    for (auto& result : report_["results"]) {
      if (result["strategy"] == strategy) return result;
    }
    throw std::out_of_range(strategy);
  }
  void set_time(const std::string& strategy, double low, double median, double high) {
    result_of(strategy)["t_c3_ms"] = {{"median", median}, {"min", low}, {"max", high}, {"n", 9}};
    result_of(strategy)["source"] = "measured";
  }

  TemporaryDirectory directory_;
  nlohmann::json report_;
};

TEST_F(AdviseEvaluate, TheModelAgreesWithItself) {
  const auto outcome = evaluate();
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("report      8x MI300X, times a model's\n"));
  EXPECT_THAT(outcome.out, HasSubstr("right       1 of 1; loss 0.00 % in the mean"));
  EXPECT_THAT(outcome.out, HasSubstr("c3_rp's k   1 of 1"));
}

TEST_F(AdviseEvaluate, LossAndSpreadAreTheReports) {
  set_time("conccl", 5.4, 5.5, 5.6);
  set_time("serial", 4.9, 5.0, 5.4);
  for (const char* slow : {"c3_base", "c3_sp", "c3_rp", "c3_sp_rp", "conccl_rp"}) {
    set_time(slow, 9, 9, 9);
  }
  const auto wrong = evaluate({"--json", directory_.file("evaluation.json")});
  ASSERT_EQ(code_of(wrong), cli::ExitCode::ok) << wrong.err;
  EXPECT_THAT(wrong.out, HasSubstr("times measured\n"));
  EXPECT_THAT(wrong.out, HasSubstr("right       0 of 1; loss 10.00 % in the mean, 10.00 % at"));
  const auto json = nlohmann::json::parse(directory_.read("evaluation.json"));
  EXPECT_EQ(json["schema"], "conccl.advise_evaluation/1");
  EXPECT_EQ(json["choices"][0]["best"], "serial");
  EXPECT_NEAR(json["of_choices"]["worst_loss"].get<double>(), 0.1, 1e-9);
  set_time("serial", 4.9, 5.0, 5.5);
  EXPECT_THAT(evaluate().out, HasSubstr("right       1 of 1; loss 10.00 %"));
}

TEST_F(AdviseEvaluate, SaysThatAReportIsPartial) {
  report_["partial"] = true;
  EXPECT_THAT(evaluate().out, HasSubstr("partial: the run did not finish"));
}

TEST_F(AdviseEvaluate, ReadsReportsOfOlderVersions) {
  for (const char* schema : {"conccl.c3/4", "conccl.c3/5"}) {
    report_["schema"] = schema;
    report_.erase("rest");
    EXPECT_EQ(code_of(evaluate()), cli::ExitCode::ok) << schema;
  }
  for (auto& result : report_["results"]) result.erase("gemm_share");
  EXPECT_EQ(code_of(evaluate()), cli::ExitCode::usage);
  report_["schema"] = "conccl.c3/4";
  EXPECT_EQ(code_of(evaluate()), cli::ExitCode::ok);
}

TEST_F(AdviseEvaluate, NamesOfStrangersStayOnTheirLine) {
  for (auto& result : report_["results"]) result["scenario"] = "a\n\x1b[31mb";
  const auto outcome = evaluate();
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("a\\n\\x1b[31mb"));
}

TEST_F(AdviseEvaluate, RefusesReportsThatAreWrong) {
  const auto whole = report_;
  const std::pair<std::function<void()>, const char*> changes[] = {
      {[&] { report_ = nlohmann::json::array(); }, "changed.json: not an object"},
      {[&] { report_.erase("schema"); }, "changed.json: no \"schema\""},
      {[&] { report_["schema"] = "conccl.bench/3"; },
       "\"conccl.bench/3\"; expected \"conccl.c3/6\""},
      {[&] { report_["schema"] = 4; }, "changed.json: schema: not a text"},
      {[&] { report_["results"] = nlohmann::json::array(); }, "results: empty"},
      {[&] { report_["results"] = 3; }, "results: not a list"},
      {[&] { report_["partial"] = 0; }, "partial: neither true nor false"},
      {[&] { report_["results"][1].erase("bytes"); }, "results[1]: no \"bytes\""},
      {[&] { report_["results"][0]["bytes"] = -1; }, "results[0]: bytes: expected a whole number"},
      {[&] { report_["results"][0]["ranks"] = 0; }, "results[0]: ranks: expected a whole number"},
      {[&] { report_["results"][0]["gemm"] = "8x8"; }, "results[0]: gemm: "},
      {[&] { report_["results"][0]["gemm_type"] = "int4"; }, "gemm_type: "},
      {[&] { report_["results"][0]["collective"] = "broadcast"; }, "collective: "},
      {[&] { report_["results"][0]["source"] = "guess"; }, "expected measured or model"},
      {[&] { report_["results"][0]["t_c3_ms"]["median"] = nullptr; },
       "t_c3_ms: median: expected a number over zero"},
      {[&] { report_["results"][0]["t_c3_ms"]["min"] = 0; }, "min: expected a number over zero"},
      {[&] { report_["results"][0]["t_c3_ms"]["max"] = 1e-3; }, "expected min <= median <= max"},
      {[&] { report_["results"][3]["sweep"][0]["budget"] = 1.5; }, "sweep[0]: budget: expected"},
      {[&] { report_["results"][1]["strategy"] = "serial"; }, "strategy serial once more"},
      {[&] { report_["results"][1]["bytes"] = 8; }, "results[1]: another GEMM, size or number"},
      {[&] {
         for (auto& result : report_["results"]) result["ranks"] = 2;
       },
       "2 ranks, but machine \"8x MI300X\" has 8 devices"},
  };
  for (const auto& [change, part] : changes) {
    report_ = whole;
    change();
    expect_error(evaluate(), cli::ExitCode::usage, part);
  }
}

TEST_F(AdviseEvaluate, RefusesWhatIsNoJson) {
  const std::pair<const char*, const char*> texts[] = {
      {"", "text.json:1:1: not JSON"},
      {"{\n  \"schema\": oops\n}", "text.json:2:13: not JSON"},
      {"{\"schema\": \"conccl.c3/4\", \"results\": [1e999]}", "a number that is too large"},
      {"{\"schema\": \"\xff\"}", "not JSON"},
  };
  for (const auto& [text, part] : texts) {
    expect_error(conccl({"advise", "--evaluate", directory_.file_with("text.json", text)}),
                 cli::ExitCode::usage, part);
  }
  expect_error(conccl({"advise", "--evaluate", directory_.file("absent.json")}),
               cli::ExitCode::usage, "absent.json: cannot be read");
  expect_error(conccl({"advise", "--evaluate", directory_.file("")}), cli::ExitCode::usage,
               "cannot be read");
}

}  // namespace
}  // namespace conccl::test
