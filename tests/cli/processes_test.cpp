// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// `conccl c3` and `conccl bench` with each rank in a process of its own.

#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/cli/support.hpp"

namespace conccl::test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

std::vector<std::string> c3_arguments(const std::string& ranks, const std::string& launch) {
  return {"c3",  "--gemm",   "128x128x128", "--collective", "all_gather", "--bytes",
          "64K", "--rounds", "2",           "--warmup",     "1",          "--ranks",
          ranks, "--launch", launch};
}

std::vector<std::string> bench_arguments(const std::string& collective) {
  return {"bench", collective, "-b", "1K", "-e", "16K", "-f", "4", "-n", "3", "-w", "1", "-c", "2"};
}

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// The same fields with the values left out; lists keep their length. A figure may be null: where
/// one of the two hides nearly behind the other there is no percent of ideal.
Json shape_of(const Json& value) {
  if (value.is_number() || value.is_null()) return "figure";
  if (!value.is_structured()) return value.type_name();
  Json shape = value.is_array() ? Json::array() : Json::object();
  if (value.is_array()) {
    for (const auto& entry : value) shape.push_back(shape_of(entry));
  } else {
    for (const auto& [name, entry] : value.items()) shape[name] = shape_of(entry);
  }
  return shape;
}

/// The processes that `pid` has started, first one first.
std::vector<pid_t> children_of(pid_t pid) {
  const auto task = std::to_string(pid);
  std::ifstream list("/proc/" + task + "/task/" + task + "/children");
  return {std::istream_iterator<pid_t>(list), {}};
}

class ProcessesC3 : public testing::TestWithParam<std::string> {};

TEST_P(ProcessesC3, ReportsWhatThreadsReport) {
  const TemporaryDirectory directory;
  Json reports[2];
  for (const auto* launch : {"threads", "processes"}) {
    const auto file = directory.file(launch);
    const auto outcome = conccl(with(c3_arguments(GetParam(), launch), {"--json", file}));
    ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out, HasSubstr("0 wrong; GEMM results: 0 wrong"));
    auto& report = reports[launch == std::string("processes") ? 1 : 0];
    report = Json::parse(directory.read(launch));
    EXPECT_EQ(report["launch"], launch);
    EXPECT_EQ(report["partial"], false);
  }
  EXPECT_EQ(shape_of(reports[0]), shape_of(reports[1]));
  ASSERT_EQ(reports[1]["results"].size(), reports[0]["results"].size());
  for (std::size_t i = 0; i < reports[0]["results"].size(); ++i) {
    EXPECT_EQ(reports[0]["results"][i]["strategy"], reports[1]["results"][i]["strategy"]);
    EXPECT_EQ(reports[0]["results"][i]["check"], reports[1]["results"][i]["check"]);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, ProcessesC3, testing::Values("2", "4"));

class ProcessesBench : public testing::TestWithParam<std::string> {};

TEST_P(ProcessesBench, ComparesEveryByteAndPrintsOneTable) {
  const TemporaryDirectory directory;
  const auto outcome =
      conccl(with(bench_arguments(GetParam()),
                  {"--launch", "processes", "-g", "3", "--json", directory.file("b.json")}));
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("# Out of bounds values : 0 OK"));
  const auto heads = outcome.out.find("# Avg bus bandwidth");
  ASSERT_NE(heads, std::string::npos);
  EXPECT_EQ(outcome.out.find("# Avg bus bandwidth", heads + 1), std::string::npos);
  const auto run = Json::parse(directory.read("b.json"));
  EXPECT_EQ(run["launch"], "processes");
  EXPECT_EQ(run["ranks"], 3);
  ASSERT_EQ(run["lines"].size(), 3U);
  for (const auto& line : run["lines"]) {
    for (const auto& result : line["results"]) EXPECT_EQ(result["wrong"], 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Collective, ProcessesBench, testing::Values("all_gather", "all_to_all"));

TEST(Processes, AreRanksOfWhoeverStartsThem) {
  const auto outcome = conccl(with({"run", "-n", "2", CONCCL_PROGRAM},
                                   with(bench_arguments("all_gather"), {"--launch", "processes"})));
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("# all_gather, 2 ranks"));
  EXPECT_THAT(outcome.out, HasSubstr("# Out of bounds values : 0 OK"));
}

TEST(Processes, RefuseAnotherNumberOfRanksThanTheRuns) {
  const auto outcome =
      conccl(with({"run", "-n", "2", CONCCL_PROGRAM},
                  with(bench_arguments("all_gather"), {"--launch", "processes", "-g", "3"})));
  EXPECT_EQ(code_of(outcome), cli::ExitCode::usage);
  EXPECT_THAT(outcome.err, HasSubstr("--ranks: 3 is not WORLD_SIZE, the 2 ranks of this run"));
}

TEST(Processes, RefuseAPlaceThatIsNone) {
  auto arguments = with(bench_arguments("all_gather"), {"--launch", "processes"});
  expect_error(run_program({CONCCL_PROGRAM, arguments, {{"RANK", "two"}, {"WORLD_SIZE", "3"}}}),
               cli::ExitCode::usage, "RANK");
}

/// Long enough to be disturbed, and with a row early on.
Invocation long_study(const TemporaryDirectory& directory) {
  const auto suite = directory.file_with(
      "suite.toml",
      "schema = \"conccl.suite/1\"\nname = \"two\"\ntype = \"bf16\"\n[[scenario]]\n"
      "name = \"a\"\ngemm = \"4096x4096x4096\"\nsource = \"test\"\nbytes = \"64M\"\n"
      "collectives = [\"all_gather\", \"all_to_all\"]\n");
  return {CONCCL_PROGRAM,
          {"c3", suite, "--launch", "processes", "--ranks", "3", "--rounds", "10", "--warmup", "0",
           "--strategies", "serial,conccl", "--json", directory.file("report.json")},
          {}};
}

TEST(Processes, InterruptedStudyWritesAPartialReport) {
  const TemporaryDirectory directory;
  Process process(long_study(directory));
  ASSERT_TRUE(process.wait_for_line({"a ", "all_gather"}, std::chrono::seconds(120)));
  process.send_signal(SIGINT);
  const auto outcome = process.finish(std::chrono::seconds(60));
  expect_error(outcome, cli::ExitCode::interrupted, "interrupted");
  EXPECT_THAT(outcome.out, HasSubstr("partial"));
  const auto report = Json::parse(directory.read("report.json"));
  EXPECT_EQ(report["partial"], true);
  EXPECT_EQ(report["results"].size(), 2U);
}

class LostRank : public testing::TestWithParam<std::size_t> {};

TEST_P(LostRank, IsNamedAndEndsTheStudy) {
  const TemporaryDirectory directory;
  Process process(long_study(directory));
  ASSERT_TRUE(process.wait_for_line({"a ", "all_gather"}, std::chrono::seconds(120)));
  const auto ranks = children_of(process.pid());
  ASSERT_EQ(ranks.size(), 3U);
  ASSERT_EQ(::kill(ranks[GetParam()], SIGKILL), 0);
  const auto outcome = process.finish(std::chrono::seconds(60));
  EXPECT_EQ(code_of(outcome), cli::ExitCode::run_failed) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("rank " + std::to_string(GetParam())));
  if (GetParam() == 0) return;  // nobody is left to write
  EXPECT_EQ(Json::parse(directory.read("report.json"))["partial"], true);
}

INSTANTIATE_TEST_SUITE_P(Processes, LostRank, testing::Values(0U, 2U));

}  // namespace
}  // namespace conccl::test
