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

/// docs/model.md and docs/advisor.md: the figures there, rounded up.
TEST(TwoH200s, TheirStudiesArePredictedAsWellAsDocsSay) {
  struct Said {
    const char* report;
    const char* isolated;
    double median;
    int far;
  };
  for (const auto& said :
       {Said{"suite.json", "model", 0.0235, 0}, Said{"precise.json", "model", 0.0115, 0},
        Said{"small.json", "model", 0.0315, 7}, Said{"rested.json", "model", 0.0205, 0},
        Said{"suite.json", "measured", 0.0165, 1}, Said{"small.json", "measured", 0.0315, 9}}) {
    const auto errors =
        json_from({"reproduce", kResults + said.report, "--isolated", said.isolated});
    EXPECT_LE(errors["overall"]["median_t_c3"].get<double>(), said.median) << said.report;
    EXPECT_LE(errors["overall"]["over_15_percent"].get<int>(), said.far) << said.report;
  }
}

TEST(TwoH200s, AdviceIsAsGoodAsDocsSay) {
  struct Said {
    const char* report;
    const char* rules;
    int right;
    double mean;
    double worst;
  };
  for (const auto& said : {Said{"suite.json", "model", 28, 0.0028, 0.0355},
                           Said{"suite.json", "paper", 28, 0.0057, 0.0502},
                           Said{"rested.json", "model", 30, 0.0007, 0.0036},
                           Said{"small.json", "model", 23, 0.0112, 0.0892},
                           Said{"small.json", "paper", 20, 0.0305, 0.2010}}) {
    const auto advice =
        json_from({"advise", "--evaluate", kResults + said.report, "--rules", said.rules});
    const auto& choices = advice["of_choices"];
    EXPECT_GE(choices["right"].get<int>(), said.right) << said.report << said.rules;
    EXPECT_LE(choices["mean_loss"].get<double>(), said.mean) << said.report << said.rules;
    EXPECT_LE(choices["worst_loss"].get<double>(), said.worst) << said.report << said.rules;
  }
}

}  // namespace
}  // namespace conccl::test
