// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// `conccl profile` on the host. How well its model does there is not asked.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "conccl/core/machine.hpp"
#include "tests/cli/support.hpp"

namespace conccl::test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

/// A product of each kind and two sizes far enough apart that noise does not swap them.
constexpr const char* kTwoSizes = R"(
schema = "conccl.suite/1"
name = "two_sizes"
type = "bf16"
[[scenario]]
name = "cube"
gemm = "64x64x64"
collectives = ["all_gather"]
ratio = 0.02
source = "a test"
[[scenario]]
name = "flat"
gemm = "1x1024x1024"
collectives = ["all_gather"]
ratio = 0.4
source = "a test"
)";

class ProfileCommand : public testing::Test {
 protected:
  [[nodiscard]] Outcome profile(std::vector<std::string> more) const {
    more.insert(more.begin(), {"profile", suite_, "--backend", "host", "--ranks", "2"});
    return conccl(std::move(more));
  }
  [[nodiscard]] Outcome from(const std::string& samples, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"profile", "--from", samples});
    return conccl(std::move(more));
  }

  TemporaryDirectory directory_;
  std::string suite_ = directory_.file_with("two_sizes.toml", kTwoSizes);
};

class ProfileLaunched : public ProfileCommand, public testing::WithParamInterface<const char*> {};

TEST_P(ProfileLaunched, WritesAMachineFileThatTheModelTakes) {
  const auto out = directory_.file("machine.toml");
  const auto samples = directory_.file("samples.json");
  const auto outcome =
      profile({"--rounds", "3", "--launch", GetParam(), "--samples", samples, "--out", out});
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, "");

  const Json written = Json::parse(directory_.read("samples.json"));
  EXPECT_EQ(written["partial"], false);
  EXPECT_EQ(written["launch"], GetParam());
  EXPECT_EQ(written["suite"], "two_sizes");
  EXPECT_GT(written["check"]["bytes"], 0);
  EXPECT_EQ(written["check"]["mismatches"], 0);
  EXPECT_EQ(written["check"]["gemm_mismatches"], 0);

  const Machine machine = load_machine(out);
  EXPECT_EQ(machine.devices, 2);
  EXPECT_EQ(machine.model.gemms.size(), 2u);
  EXPECT_EQ(machine.baseline.count("all_gather"), 1u);
  const auto study = conccl({"c3", "--machine", out, "--gemm", "512x512x512", "--gemm-type", "fp32",
                             "--collective", "all_gather", "--bytes", "1M"});
  EXPECT_EQ(code_of(study), cli::ExitCode::ok) << study.err;
  EXPECT_THAT(study.out, HasSubstr("conccl_rp"));

  const auto again = from(samples);
  ASSERT_EQ(code_of(again), cli::ExitCode::ok) << again.err;
  EXPECT_EQ(again.out, directory_.read("machine.toml"));
  const auto file = from(samples, {"--out", directory_.file("again.toml")});
  ASSERT_EQ(code_of(file), cli::ExitCode::ok) << file.err;
  EXPECT_EQ(directory_.read("again.toml"), again.out);
}

INSTANTIATE_TEST_SUITE_P(Launches, ProfileLaunched, testing::Values("threads", "processes"));

TEST_F(ProfileCommand, RefusesAnOutputThatCannotBeWrittenBeforeAnythingRuns) {
  for (const char* option : {"--out", "--samples"}) {
    const char* const other = option == std::string("--out") ? "--samples" : "--out";
    const auto outcome =
        profile({option, directory_.file("none/file"), other, directory_.file("other")});
    expect_error(outcome, cli::ExitCode::run_failed, "none/file");
    EXPECT_EQ(directory_.files(), 1u) << "the suite alone: samples are written after each scenario";
  }
}

TEST_F(ProfileCommand, RefusesFurtherGemmsOnTheHost) {
  expect_error(profile({"--gemms", "small"}), cli::ExitCode::usage, "further GEMMs or sizes");
  expect_error(profile({"--gemms", "no_such"}), cli::ExitCode::usage, "known suites");
}

TEST_F(ProfileCommand, RefusesSizesThatItWouldNotMeasure) {
  expect_error(profile({"--largest", "1G"}), cli::ExitCode::usage, "further GEMMs or sizes");
  expect_error(profile({"--largest", "512M"}), cli::ExitCode::usage,
               "--largest: 512M; expected at least 1G");
  expect_error(profile({"--largest", "-1"}), cli::ExitCode::usage, "--largest");
  expect_error(conccl({"profile", "--from", suite_, "--largest", "1G"}), cli::ExitCode::usage,
               "--largest: with --from nothing is run");
}

TEST_F(ProfileCommand, RefusesSamplesThatItCannotRead) {
  expect_error(from(directory_.file("none.json")), cli::ExitCode::usage, "none.json: cannot be");
  expect_error(from(directory_.file_with("bad.json", "{\n?")), cli::ExitCode::usage,
               "bad.json:2:1: not JSON");
  expect_error(from(suite_), cli::ExitCode::usage, "two_sizes.toml:");
}

TEST_F(ProfileCommand, RefusesAPartialProfileAndOneThatLacksSamples) {
  Json profile = Json::parse(std::ifstream(CONCCL_SOURCE_DIR "/docs/results/h200x2/profile.json"));
  profile["samples"] = Json::array();
  expect_error(from(directory_.file_with("empty.json", profile.dump())), cli::ExitCode::usage,
               "no GEMM alone");
  profile["partial"] = true;
  const auto partial = directory_.file_with("partial.json", profile.dump());
  expect_error(from(partial, {"--out", directory_.file("machine.toml")}), cli::ExitCode::usage,
               "the profile is partial");
  EXPECT_EQ(directory_.files(), 3u) << "no machine file";
}

TEST_F(ProfileCommand, RefusesOptionsOfARunWithSamples) {
  const auto samples = directory_.file("none.json");
  const std::pair<const char*, const char*> options[] = {
      {"--ranks", "2"},        {"--rounds", "3"},     {"--seed", "1"},        {"--gemms", "small"},
      {"--samples", "x.json"}, {"--backend", "host"}, {"--launch", "threads"}};
  for (const auto& [option, value] : options) {
    expect_error(from(samples, {option, value}), cli::ExitCode::usage,
                 std::string(option) + ": with --from nothing is run");
  }
}

}  // namespace
}  // namespace conccl::test
