// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// A profile as a whole. Times are never asserted.

#include "conccl/bench/profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "conccl/core/errors.hpp"
#include "tests/bench/profile_support.hpp"

namespace conccl::bench {
namespace {

using testing::HasSubstr;

TEST_F(ProfileRun, TimesTheGemmAloneOnEveryNumberOfUnits) {
  run();
  std::set<std::pair<std::string, int>> expected{{"", 0}};
  for (const auto kind : {BudgetKind::comm_units, BudgetKind::gemm_gives}) {
    for (const int budget : budgets(kind)) expected.emplace("", budget);
  }
  EXPECT_GT(expected.size(), 1u);
  for (const auto collective : plan::all_collectives()) {
    EXPECT_EQ(found(Sample::Kind::gemm, collective), expected);
  }
}

TEST_F(ProfileRun, TimesTheCollectiveAloneOnEnginesAndOnKernelsWithEveryLimit) {
  run();
  std::set<std::pair<std::string, int>> expected{{"dma", 0}, {"kernels", 0}};
  for (const int limit : budgets(BudgetKind::comm_units)) expected.emplace("kernels", limit);
  EXPECT_GT(expected.size(), 2u);
  for (const auto collective : plan::all_collectives()) {
    EXPECT_EQ(found(Sample::Kind::collective, collective), expected);
  }
}

TEST_F(ProfileRun, TimesBothTogetherUnderEveryStrategyWithEveryBudget) {
  run();
  std::set<std::pair<std::string, int>> expected;
  for (const auto& strategy : c3::strategies()) {
    for (const int budget : c3::budgets_to_sweep(strategy, device())) {
      expected.emplace(strategy.name, budget);
    }
  }
  EXPECT_GT(expected.size(), c3::strategies().size());
  for (const auto collective : plan::all_collectives()) {
    EXPECT_EQ(found(Sample::Kind::together, collective), expected);
  }
}

TEST_F(ProfileRun, EverySampleSaysWhatRanAndHowLong) {
  options_.study.rounds = 2;
  run();
  ASSERT_FALSE(profile_.samples.empty());
  for (const auto& sample : profile_.samples) {
    // The host computes bf16 in fp32.
    EXPECT_EQ(sample.gemm, (GemmSpec{{64, 64, 64}, GemmType::fp32}));
    EXPECT_EQ(sample.bytes, 4 * kKiB);
    EXPECT_EQ(sample.ms.n, 2u);
    EXPECT_GT(sample.ms.min, 0);
    EXPECT_LE(sample.ms.min, sample.ms.median);
    EXPECT_LE(sample.ms.median, sample.ms.max);
  }
}

TEST_F(ProfileRun, ComparesEveryOutputByteOfEveryRankInEveryMeasuredRound) {
  options_.study.rounds = 2;
  run();
  std::uint64_t collectives = 0;
  for (const auto& sample : profile_.samples) {
    if (sample.kind != Sample::Kind::gemm) ++collectives;
  }
  EXPECT_EQ(profile_.check.bytes, collectives * 4 * kKiB * 2 * 2);
  EXPECT_EQ(profile_.check.mismatches, 0u);
  EXPECT_EQ(profile_.check.gemm_mismatches, 0u);
}

TEST_F(ProfileRun, SaysWhatItIsOf) {
  run();
  EXPECT_FALSE(profile_.partial);
  EXPECT_TRUE(profile_.emulation);
  EXPECT_EQ(profile_.machine, backend_->machine());
  EXPECT_EQ(profile_.suite, "tiny");
  EXPECT_EQ(profile_.suite_hash, options_.study.suite.hash);
  EXPECT_EQ(profile_.launch, Launch::threads);
  EXPECT_EQ(profile_.ranks, 2);
  EXPECT_EQ(profile_.rounds, 1);
  EXPECT_EQ(profile_.seed, 7u);
  EXPECT_THAT(profile_.date, testing::MatchesRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]"));
  EXPECT_TRUE(profile_.clocks.empty()) << "the host has no counters";
  ASSERT_EQ(profile_.peers.size(), 2u);
  for (const auto& peer : profile_.peers) EXPECT_THAT(peer.reason, HasSubstr("CUDA streams"));
}

TEST_F(ProfileRun, CallsItsHooksForEachScenarioAndRound) {
  std::vector<std::size_t> samples;
  std::vector<std::pair<std::size_t, int>> seen;
  ProfileHooks hooks;
  hooks.step_done = [&](const Profile& so_far) {
    EXPECT_TRUE(so_far.partial);
    samples.push_back(so_far.samples.size());
  };
  hooks.progress = [&](const StudyProgress& now) {
    EXPECT_EQ(now.scenarios, 2u);
    EXPECT_EQ(now.rounds, 1 + options_.study.rounds);
    EXPECT_EQ(now.name, "only");
    seen.emplace_back(now.scenario, now.round);
  };
  run(hooks);
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_GT(samples[0], 0u);
  EXPECT_EQ(samples[1], 2 * samples[0]);
  using Seen = std::vector<std::pair<std::size_t, int>>;
  EXPECT_EQ(seen, (Seen{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}));
}

TEST_F(ProfileRun, InterruptedKeepsWhatIsFinishedAndIsPartial) {
  std::atomic<bool> interrupt{false};
  std::size_t finished = 0;
  ProfileHooks hooks;
  hooks.interrupt = &interrupt;
  hooks.step_done = [&](const Profile& so_far) {
    finished = so_far.samples.size();
    interrupt = true;
  };
  EXPECT_THROW(run(hooks), Interrupted);
  EXPECT_TRUE(profile_.partial);
  EXPECT_GT(finished, 0u);
  EXPECT_EQ(profile_.samples.size(), finished);
  EXPECT_THROW((void)machine_of(profile_), InputError);
}

TEST_F(ProfileRun, RefusesWhatAStudyRefuses) {
  options_.study.rounds = 0;
  EXPECT_THROW(run(), InputError);
  options_.study.rounds = 1;
  options_.study.suite.scenarios.front().gemm.type = GemmType::fp16;
  options_.study.suite.scenarios.resize(1);
  EXPECT_THROW(run(), Unavailable);
  EXPECT_TRUE(profile_.suite.empty());
}

TEST_F(ProfileRun, IsWrittenWithItsSchemaAndEverySample) {
  run();
  const auto json = nlohmann::json::parse(to_json(profile_));
  EXPECT_EQ(json["schema"], "conccl.profile/2");
  EXPECT_EQ(json["partial"], false);
  EXPECT_EQ(json["launch"], "threads");
  EXPECT_EQ(json["suite_hash"], profile_.suite_hash);
  EXPECT_EQ(json["machine"], to_toml(profile_.machine));
  EXPECT_EQ(json["check"]["bytes"], profile_.check.bytes);
  ASSERT_EQ(json["samples"].size(), profile_.samples.size());
  for (std::size_t i = 0; i < profile_.samples.size(); ++i) {
    const auto& written = json["samples"][i];
    const Sample& sample = profile_.samples[i];
    const bool has_gemm = sample.kind != Sample::Kind::collective;
    EXPECT_EQ(written.contains("gemm"), has_gemm);
    EXPECT_EQ(written.contains("bytes"), sample.kind != Sample::Kind::gemm);
    EXPECT_EQ(written["how"], sample.how);
    EXPECT_EQ(written["budget"], sample.budget);
    EXPECT_EQ(written["ms"]["median"], sample.ms.median);
    EXPECT_EQ(written["ms"]["n"], sample.ms.n);
  }
}

TEST_F(ProfileRun, GivesAMachineOfAsManyDevicesAsItHasRanks) {
  auto& scenarios = options_.study.suite.scenarios;
  const std::size_t count = scenarios.size();
  for (std::size_t i = 0; i < count; ++i) {
    scenarios.push_back(scenarios[i]);
    scenarios.back().bytes = 64 * kKiB;
  }
  run();
  const Machine machine = machine_of(profile_);
  EXPECT_EQ(machine.devices, 2);
  EXPECT_EQ(machine.sources.at("devices"), "ranks of the profile");
  EXPECT_EQ(machine.baseline.size(), 2u);
  EXPECT_EQ(machine.model.fitted_from, 4 * kKiB);
  EXPECT_EQ(machine.model.fitted_to, 64 * kKiB);
  EXPECT_EQ(machine.sources.at("model.flag_ns").find("measured " + profile_.date), 0u);
}

}  // namespace
}  // namespace conccl::bench
