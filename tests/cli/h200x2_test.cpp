// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What the profile of two H200s gives, and how well it does on studies that it was not fitted to.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "conccl/core/machine.hpp"
#include "tests/cli/support.hpp"

namespace conccl::test {
namespace {

const std::string kResults = CONCCL_SOURCE_DIR "/docs/results/h200x2/";

nlohmann::json json_from(std::vector<std::string> arguments) {
  const TemporaryDirectory directory;
  arguments.insert(arguments.end(), {"--machine", "h200x2", "--json", directory.file("r.json")});
  const auto outcome = conccl(std::move(arguments));
  EXPECT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  return nlohmann::json::parse(directory.read("r.json"));
}

TEST(TwoH200s, TheirMachineFileIsWhatTheirProfileGives) {
  const auto outcome = conccl({"profile", "--from", kResults + "profile.json"});
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_EQ(parse_machine(outcome.out, "profile"),
            load_machine(CONCCL_SOURCE_DIR "/machines/h200x2.toml"));
}

TEST(TwoH200s, TheirStudiesArePredictedAsWellAsDocsSay) {
  const std::pair<const char*, int> most_far[] = {
      {"suite.json", 2}, {"precise.json", 0}, {"small.json", 9}};
  for (const auto& [report, far] : most_far) {
    const auto errors = json_from({"reproduce", kResults + report});
    EXPECT_LE(errors["overall"]["median_t_c3"].get<double>(), 0.05) << report;
    EXPECT_LE(errors["overall"]["over_15_percent"].get<int>(), far) << report;
  }
}

TEST(TwoH200s, AdviceIsAsGoodAsDocsSay) {
  const auto advice = json_from({"advise", "--evaluate", kResults + "suite.json"});
  EXPECT_GE(advice["of_choices"]["right"].get<int>(), 28);
  EXPECT_LE(advice["of_choices"]["mean_loss"].get<double>(), 0.01);
  EXPECT_LE(advice["of_choices"]["worst_loss"].get<double>(), 0.05);
}

}  // namespace
}  // namespace conccl::test
