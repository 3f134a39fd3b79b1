// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Proof that the byte checks can fail: the tool on a backend that corrupts copies now and then.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/support.hpp"

namespace conccl::test {
namespace {

constexpr const char* kEvidence =
    "rank [0-9]+: [0-9]+ of [0-9]+ bytes wrong, first at offset [0-9]+: expected "
    "0x[0-9a-f]+, found 0x[0-9a-f]+";

Outcome run_faulty(const std::string& fault, std::vector<std::string> arguments) {
  return run_program({CONCCL_FAULTY_PROGRAM, std::move(arguments), {{"CONCCL_FAULT", fault}}});
}

std::vector<std::string> c3_arguments(const std::string& collective, const std::string& launch) {
  return {"c3",
          "--launch",
          launch,
          "--backend",
          "faulty",
          "--gemm",
          "128x128x128",
          "--collective",
          collective,
          "--bytes",
          "256K",
          "--rounds",
          "3",
          "--warmup",
          "1",
          "--strategies",
          "serial,c3_base,conccl"};
}

std::vector<std::string> bench_arguments(const std::string& collective, const std::string& launch) {
  return {"bench", collective, "--launch", launch, "--backend", "faulty", "-b",
          "4K",    "-e",       "16K",      "-n",   "3",         "-c",     "5"};
}

class FaultTest : public testing::TestWithParam<std::tuple<std::string, std::string, std::string>> {
};

TEST_P(FaultTest, C3NamesRankOffsetExpectedAndFound) {
  const auto& [fault, collective, launch] = GetParam();
  const TemporaryDirectory directory;
  auto arguments = c3_arguments(collective, launch);
  arguments.insert(arguments.end(), {"--json", directory.file("report.json")});
  const auto outcome = run_faulty(fault, arguments);
  expect_error(outcome, cli::ExitCode::check_failed, collective);
  EXPECT_THAT(outcome.err, testing::ContainsRegex(kEvidence));
  EXPECT_EQ(nlohmann::json::parse(directory.read("report.json"))["partial"], true);
}

TEST_P(FaultTest, BenchNamesRankOffsetExpectedAndFound) {
  const auto& [fault, collective, launch] = GetParam();
  const auto outcome = run_faulty(fault, bench_arguments(collective, launch));
  expect_error(outcome, cli::ExitCode::check_failed, collective);
  EXPECT_THAT(outcome.err, testing::ContainsRegex(kEvidence));
  EXPECT_THAT(outcome.out, testing::HasSubstr("FAILED"));
}

INSTANTIATE_TEST_SUITE_P(Faulty, FaultTest,
                         testing::Combine(testing::Values("drop", "shift", "stale", "late"),
                                          testing::Values("all_gather", "all_to_all"),
                                          testing::Values("threads", "processes")),
                         [](const auto& entry) {
                           return std::get<0>(entry.param) + "_" + std::get<1>(entry.param) + "_" +
                                  std::get<2>(entry.param);
                         });

TEST(Faulty, WithoutAFaultEverythingIsRight) {
  for (const auto* collective : {"all_gather", "all_to_all"}) {
    for (const auto* launch : {"threads", "processes"}) {
      for (const auto& arguments :
           {c3_arguments(collective, launch), bench_arguments(collective, launch)}) {
        const auto outcome = run_faulty("", arguments);
        EXPECT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
      }
    }
  }
}

TEST(Faulty, UnknownFaultIsRefused) {
  expect_error(run_faulty("gremlins", bench_arguments("all_gather", "threads")),
               cli::ExitCode::usage, "gremlins");
}

}  // namespace
}  // namespace conccl::test
