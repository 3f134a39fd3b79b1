// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conccl/core/machine.hpp"
#include "tests/cli/support.hpp"

namespace conccl::test {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kSmallC3 = {
    "c3", "--gemm",   "128x128x128", "--collective", "all_gather", "--bytes", "64K", "--rounds",
    "2",  "--warmup", "1",           "--ranks",      "2"};

std::vector<std::string> small_c3(std::vector<std::string> more) {
  more.insert(more.begin(), kSmallC3.begin(), kSmallC3.end());
  return more;
}

TEST(Tool, TellsItsVersionAndHelp) {
  const auto version = conccl({"--version"});
  EXPECT_EQ(code_of(version), cli::ExitCode::ok);
  EXPECT_THAT(version.out, testing::ContainsRegex("^conccl [0-9]+\\.[0-9]+\\.[0-9]+\n$"));
  const auto help = conccl({"plan", "--help"});
  EXPECT_EQ(code_of(help), cli::ExitCode::ok);
  EXPECT_THAT(help.out, HasSubstr("--in-place"));
}

TEST(Tool, NamesCommandsWhenGivenNoneOrAnUnknownOne) {
  expect_error(conccl({}), cli::ExitCode::usage,
               "machine, plan, bench, c3, advise, reproduce, profile, run, doctor");
  expect_error(conccl({"optimise"}), cli::ExitCode::usage, "unknown command \"optimise\"");
  expect_error(conccl({"plan", "all_gather", "--colour"}), cli::ExitCode::usage, "--colour");
}

TEST(Tool, PrintsTheMachineAsAFileOfItsOwn) {
  const auto outcome = conccl({"machine"});
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  const Machine machine = parse_machine(outcome.out, "printed");
  EXPECT_EQ(machine.backend, "host");
  EXPECT_GT(machine.device.compute_units, 0);
  EXPECT_THAT(outcome.out, HasSubstr("# backend host: works"));
}

TEST(Tool, DoctorNamesBackends) {
  const auto outcome = conccl({"doctor"});
  EXPECT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("host: works"));
  EXPECT_THAT(outcome.out, HasSubstr("usable"));
}

TEST(PlanCommand, PrintsAndProves) {
  const auto outcome = conccl({"plan", "all_gather", "--ranks", "3", "--bytes", "192K"});
  EXPECT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("copy send+0 -> rank 2 recv+0, 65536 bytes"));
  EXPECT_THAT(outcome.out, HasSubstr("verified   33 steps"));
}

TEST(PlanCommand, EveryOptionReachesThePlan) {
  const auto outcome = conccl({"plan", "all_gather", "--ranks", "4", "--bytes", "1M", "--form",
                               "compute", "--direction", "pull", "--in-place", "--summary"});
  EXPECT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("direct pull, compute"));
  EXPECT_THAT(outcome.out, HasSubstr("in place"));
  EXPECT_THAT(outcome.out, HasSubstr("0 dma, 4 compute"));
  const auto engines =
      conccl({"plan", "all_to_all", "--ranks", "4", "--engines", "2", "--summary"});
  EXPECT_THAT(engines.out, HasSubstr("8 dma, 0 compute"));
}

TEST(PlanCommand, PlansAStrategy) {
  const auto outcome = conccl({"plan", "all_gather", "--ranks", "2", "--strategy", "c3_sp"});
  EXPECT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("compute gemm"));
  EXPECT_THAT(outcome.out, HasSubstr("verified"));
}

TEST(PlanCommand, SaysWhenBytesAreRoundedDown) {
  const auto outcome =
      conccl({"plan", "all_gather", "--ranks", "3", "--bytes", "100", "--summary"});
  EXPECT_EQ(code_of(outcome), cli::ExitCode::ok);
  EXPECT_THAT(outcome.err, HasSubstr("99 are planned"));
}

TEST(PlanCommand, WritesAPlanThatChecks) {
  const TemporaryDirectory directory;
  const auto file = directory.file("plan.json");
  EXPECT_EQ(code_of(conccl({"plan", "all_to_all", "--ranks", "4", "--json", file})),
            cli::ExitCode::ok);
  const auto checked = conccl({"plan", "--check", file});
  EXPECT_EQ(code_of(checked), cli::ExitCode::ok) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("verified"));
  const auto printed = conccl({"plan", "all_to_all", "--ranks", "4", "--json", "-"});
  EXPECT_EQ(printed.out, directory.read("plan.json"));
}

TEST(PlanCommand, RefusesAWrongPlan) {
  const TemporaryDirectory directory;
  const auto file = directory.file("plan.json");
  ASSERT_EQ(code_of(conccl({"plan", "all_gather", "--ranks", "2", "--json", file})),
            cli::ExitCode::ok);
  auto plan = nlohmann::json::parse(directory.read("plan.json"));
  auto& steps = plan["ranks"][0]["lanes"][0]["steps"];
  const auto copy = std::find_if(steps.begin(), steps.end(), [](const auto& step) {
    return step["step"] == "copy" && step["dst"]["rank"] == 1;
  });
  ASSERT_NE(copy, steps.end());
  steps.erase(copy);
  expect_error(conccl({"plan", "--check", directory.file_with("wrong.json", plan.dump())}),
               cli::ExitCode::check_failed, "the plan is refused");
}

TEST(PlanCommand, RefusesMalformedFiles) {
  const TemporaryDirectory directory;
  const auto broken = directory.file_with("broken.json", "{\"schema\":\n  \"conccl.plan/1\",,}");
  expect_error(conccl({"plan", "--check", broken}), cli::ExitCode::usage, "broken.json:2:");
  const auto other = directory.file_with("other.json", "{\"schema\": \"something\"}");
  expect_error(conccl({"plan", "--check", other}), cli::ExitCode::usage, "schema");
  expect_error(conccl({"plan", "--check", directory.file("absent.json")}), cli::ExitCode::usage,
               "cannot be read");
  expect_error(conccl({"plan"}), cli::ExitCode::usage, "--check FILE");
}

TEST(C3Command, WritesTableJsonAndCsv) {
  const TemporaryDirectory directory;
  const auto outcome =
      conccl(small_c3({"--strategies", "serial,conccl", "--json", directory.file("r.json"), "--csv",
                       directory.file("r.csv")}));
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("host emulation: shows function, not hardware"));
  EXPECT_THAT(outcome.err, testing::IsEmpty());
  const auto report = nlohmann::json::parse(directory.read("r.json"));
  EXPECT_EQ(report["schema"], "conccl.c3/6");
  EXPECT_EQ(report["partial"], false);
  ASSERT_EQ(report["results"].size(), 2u);
  const auto& result = report["results"][1];
  EXPECT_EQ(result["strategy"], "conccl");
  EXPECT_EQ(result["gemm"], "128x128x128");
  EXPECT_EQ(result["bytes"], 65536);
  EXPECT_EQ(result["check"]["bytes"], 2 * 2 * 65536);
  EXPECT_EQ(result["check"]["mismatches"], 0);
  EXPECT_EQ(result["t_c3_ms"]["n"], 2);
  const auto csv = directory.read("r.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  EXPECT_EQ(directory.files(), 2u);
}

TEST(Tool, AStudyInWhichNothingCanRunSaysWhy) {
  const auto outcome = conccl(small_c3({"--strategies", "nccl_ce"}));
  EXPECT_EQ(code_of(outcome), cli::ExitCode::unavailable) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("no strategy can run here; nccl_ce: "));
  EXPECT_THAT(outcome.out, HasSubstr("skipped     nccl_ce: "));
}

TEST(C3Command, PredictsForAMachine) {
  const TemporaryDirectory directory;
  const auto outcome =
      conccl({"c3", "--machine", "mi300x", "--gemm", "8192x8192x8192", "--collective", "all_gather",
              "--bytes", "1G", "--strategies", "c3_base,conccl", "--set", "device.dma_engines=4",
              "--json", directory.file("r.json"), "--trace", directory.file("t.json")});
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("a model's figures: nothing was measured here"));
  EXPECT_THAT(outcome.out, HasSubstr("\nset         device.dma_engines=4\n"
                                     "            times of c3_base are as without\n"));
  const auto report = nlohmann::json::parse(directory.read("r.json"));
  EXPECT_EQ(report["machine"]["device"]["dma_engines"], 4);
  ASSERT_EQ(report["results"].size(), 2u);
  EXPECT_EQ(report["results"][1]["source"], "model");
  EXPECT_THAT(directory.read("t.json"), HasSubstr("conccl.trace/1"));
}

/// A setting that takes strategies away leaves the others comparable.
TEST(C3Command, SaysWhatASettingLeavesWhereItTakesStrategiesAway) {
  const auto outcome = conccl({"c3", "--machine", "mi300x", "--strategies", "c3_rp,c3_base",
                               "--set", "model.unit_step=304"});
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("skipped     c3_rp: "));
  EXPECT_THAT(outcome.out, HasSubstr("times of c3_base are as without"));
}

TEST(ReproduceCommand, SetsThePaperBesideTheModel) {
  const auto outcome = conccl({"reproduce"});
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("a model's figures: nothing was measured here"));
  EXPECT_THAT(outcome.out, HasSubstr("percent of ideal, conccl_rp"));
  EXPECT_THAT(outcome.out, HasSubstr("within their goals"));
}

TEST(C3Command, SaysWhichTypeRan) {
  const TemporaryDirectory directory;
  const auto outcome =
      conccl(small_c3({"--strategies", "conccl", "--gemm-type", "fp32", "--json",
                       directory.file("r.json"), "--csv", directory.file("r.csv")}));
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("fp32 all_gather"));
  const auto report = nlohmann::json::parse(directory.read("r.json"));
  EXPECT_EQ(report["results"][0]["gemm"], "128x128x128");
  EXPECT_EQ(report["results"][0]["gemm_type"], "fp32");
  EXPECT_THAT(directory.read("r.csv"), HasSubstr(",128x128x128,fp32,all_gather,"));
}

TEST(C3Command, RefusesATypeThatTheBackendHasNot) {
  const TemporaryDirectory directory;
  const auto file = directory.file_with("report.json", "earlier");
  for (const std::string launch : {"threads", "processes"}) {
    const auto outcome = conccl(
        small_c3({"--gemm-type", "fp8", "--launch", launch, "--backend", "host", "--json", file}));
    expect_error(outcome, cli::ExitCode::unavailable, "GEMM 128x128x128 fp8");
    EXPECT_THAT(outcome.err, HasSubstr("bf16 (as fp32), fp32"));
    EXPECT_THAT(outcome.out, testing::IsEmpty());
    EXPECT_EQ(directory.read("report.json"), "earlier");
  }
}

TEST(C3Command, SkipsScenariosOfTypesThatTheBackendHasNot) {
  const TemporaryDirectory directory;
  const std::string rest =
      "gemm = \"64x64x64\"\nsource = \"test\"\nbytes = \"64K\"\n"
      "collectives = [\"all_gather\"]\n";
  const auto suite = directory.file_with(
      "suite.toml",
      "schema = \"conccl.suite/1\"\nname = \"two\"\ntype = \"fp8\"\n[[scenario]]\n"
      "name = \"a\"\n" +
          rest + "[[scenario]]\nname = \"b\"\ntype = \"bf16\"\n" + rest);
  const auto outcome =
      conccl({"c3", suite, "--backend", "host", "--ranks", "2", "--rounds", "1", "--warmup", "0",
              "--strategies", "conccl", "--peers", "none", "--json", directory.file("r.json")});
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("skipped     a: GEMM 64x64x64 fp8"));
  const auto report = nlohmann::json::parse(directory.read("r.json"));
  ASSERT_EQ(report["results"].size(), 1u);
  EXPECT_EQ(report["results"][0]["scenario"], "b");
  ASSERT_EQ(report["skipped"].size(), 1u);
  EXPECT_EQ(report["skipped"][0]["scenario"], "a");
  EXPECT_EQ(report["skipped"][0]["strategy"], nullptr);
}

TEST(Tool, SaysWhichGemmsABackendHas) {
  const auto outcome = conccl({"machine", "--backend", "host"});
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("bf16 (as fp32), fp32"));
}

TEST(BenchCommand, PrintsNcclTestsTable) {
  const TemporaryDirectory directory;
  const auto outcome = conccl({"bench", "all_gather", "-b", "1K",     "-e",
                               "4K",    "-f",         "2",  "-n",     "3",
                               "-w",    "1",          "-c", "2",      "-d",
                               "half",  "-g",         "3",  "--json", directory.file("b.json")});
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("# Out of bounds values : 0 OK"));
  EXPECT_THAT(outcome.out, HasSubstr("# Avg bus bandwidth"));
  const auto run = nlohmann::json::parse(directory.read("b.json"));
  ASSERT_EQ(run["lines"].size(), 3u);
  EXPECT_EQ(run["lines"][0]["bytes"], 1020);
  EXPECT_EQ(run["lines"][0]["count"], 170);
  EXPECT_EQ(run["lines"][2]["results"][1]["placement"], "in_place");
  EXPECT_EQ(run["lines"][2]["results"][1]["wrong"], 0);
}

TEST(BenchCommand, StepsByAnIncrement) {
  const auto outcome = conccl({"bench", "all_to_all", "-b", "64", "-e", "256", "-i", "64", "-n",
                               "1", "-w", "0", "-g", "2"});
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, testing::ContainsRegex("\n +192 +24 "));
}

}  // namespace
}  // namespace conccl::test
