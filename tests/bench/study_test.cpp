// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// The study as a whole, on a suite small enough for a test. Times are never asserted.

#include "conccl/bench/study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "conccl/backend/registry.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

constexpr std::string_view kSuite = R"(
schema = "conccl.suite/1"
name = "tiny"
type = "bf16"
[[scenario]]
name = "first"
gemm = "64x64x64"
bytes = "24K"
collectives = ["all_gather", "all_to_all"]
source = "a test"
[[scenario]]
name = "second"
gemm = "16x48x32"
bytes = "3000"
collectives = ["all_gather"]
source = "a test"
)";

StudyOptions tiny_options() {
  StudyOptions options;
  options.suite = c3::parse_suite(kSuite, "tiny.toml");
  options.ranks = 3;
  options.warmup = 1;
  options.rounds = 2;
  options.sweep_rounds = 1;
  options.sizes = SizePolicy::as_given;
  return options;
}

class Study : public testing::Test {
 protected:
  void run(const StudyHooks& hooks = {}) { run_study(*backend_, options_, hooks, report_); }

  std::unique_ptr<backend::Backend> backend_ = backend::open("host");
  StudyOptions options_ = tiny_options();
  Report report_;
};

TEST_F(Study, HasOneResultPerScenarioCollectiveAndStrategyInOrder) {
  run();
  ASSERT_EQ(report_.results.size(), 3 * c3::strategies().size());
  for (std::size_t i = 0; i < report_.results.size(); ++i) {
    const auto& scenario = options_.suite.scenarios[i / c3::strategies().size()];
    EXPECT_EQ(report_.results[i].scenario, scenario.name);
    EXPECT_EQ(report_.results[i].collective, scenario.collective);
    EXPECT_EQ(report_.results[i].strategy, c3::strategies()[i % c3::strategies().size()].name);
    EXPECT_EQ(report_.results[i].gemm.shape, scenario.gemm.shape);
    // The host computes bf16 in fp32.
    EXPECT_EQ(report_.results[i].gemm.type, GemmType::fp32);
    EXPECT_EQ(report_.results[i].bytes_per_peer, *scenario.bytes / 3);
  }
  EXPECT_FALSE(report_.partial);
}

TEST_F(Study, OnTheHostTellsWhyNoOtherLibraryRuns) {
  options_.strategies = {"conccl"};
  run();
  ASSERT_EQ(report_.peers.size(), 2U);
  ASSERT_EQ(report_.skipped.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(report_.skipped[i].strategy, report_.peers[i].name);
    EXPECT_EQ(report_.skipped[i].reason, report_.peers[i].reason);
    EXPECT_THAT(report_.skipped[i].reason, testing::HasSubstr("CUDA streams"));
  }
  for (const auto& result : report_.results) EXPECT_FALSE(result.baseline.has_value());
}

TEST_F(Study, SkipsAVendorsStrategyWithTheReason) {
  options_.strategies = {"nccl_ce", "c3_base_own"};
  run();
  ASSERT_EQ(report_.results.size(), 3U);
  EXPECT_EQ(report_.results[0].strategy, "c3_base_own");
  ASSERT_EQ(report_.skipped.size(), 2U);
  EXPECT_EQ(report_.skipped[0].strategy, "nccl_ce");
  EXPECT_EQ(report_.skipped[1].strategy, "nccl");
}

TEST_F(Study, SaysNothingOfPeersThatWereNotAskedFor) {
  options_.strategies = {"conccl"};
  options_.peers = PeerPolicy::none;
  run();
  EXPECT_TRUE(report_.skipped.empty());
}

TEST_F(Study, ComparesEveryOutputByteOfEveryRankInEveryMeasuredRound) {
  run();
  for (const auto& result : report_.results) {
    EXPECT_EQ(result.check.bytes, result.bytes * 3 * 2) << result.strategy;
    EXPECT_EQ(result.check.mismatches, 0U);
    EXPECT_EQ(result.check.gemm_mismatches, 0U);
    for (const auto& summary : {result.t_gemm_ms, result.t_comm_ms, result.t_c3_ms}) {
      EXPECT_EQ(summary.n, 2U);
      EXPECT_GT(summary.min, 0);
      EXPECT_LE(summary.min, summary.median);
      EXPECT_LE(summary.median, summary.max);
    }
  }
}

TEST_F(Study, ChoosesTheBestBudgetOfItsSweep) {
  run();
  const c3::DeviceShape device{backend_->capabilities().compute_units,
                               backend_->capabilities().dma_engines};
  for (const auto& result : report_.results) {
    const auto& strategy = c3::find_strategy(result.strategy);
    if (strategy.budget == c3::BudgetKind::none) {
      EXPECT_TRUE(result.sweep.empty());
      EXPECT_EQ(result.budget, 0);
      continue;
    }
    std::vector<int> budgets;
    for (const auto& point : result.sweep) budgets.push_back(point.budget);
    EXPECT_EQ(budgets, c3::budgets_to_sweep(strategy, device));
    const auto best = std::min_element(
        result.sweep.begin(), result.sweep.end(),
        [](const SweepPoint& a, const SweepPoint& b) { return a.t_c3_ms < b.t_c3_ms; });
    // Giving nothing up is preferred to what gains less than two percent.
    const bool nothing =
        result.sweep.front().budget == 0 && best->t_c3_ms > 0.98 * result.sweep.front().t_c3_ms;
    EXPECT_EQ(result.budget, nothing ? 0 : best->budget);
  }
}

TEST_F(Study, RunsOnlyTheStrategiesAskedFor) {
  options_.strategies = {"conccl", "serial"};
  run();
  ASSERT_EQ(report_.results.size(), 6U);
  EXPECT_EQ(report_.results[0].strategy, "conccl");
  EXPECT_EQ(report_.results[1].strategy, "serial");
}

TEST_F(Study, TellsItsProgressOncePerRound) {
  std::vector<std::pair<std::size_t, int>> seen;
  int rounds = 0;
  StudyHooks hooks;
  hooks.progress = [&](const StudyProgress& progress) {
    seen.emplace_back(progress.scenario, progress.round);
    rounds = progress.rounds;
  };
  run(hooks);
  EXPECT_EQ(rounds, (1 + options_.sweep_rounds) + options_.warmup + options_.rounds);
  EXPECT_EQ(seen.size(), 3U * static_cast<std::size_t>(rounds + 1));
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), (std::pair<std::size_t, int>{2, rounds}));
}

TEST_F(Study, InterruptedKeepsWhatIsFinishedAndSaysSo) {
  std::atomic<bool> interrupt{false};
  StudyHooks hooks;
  hooks.interrupt = &interrupt;
  hooks.scenario_done = [&](const Report&, const std::vector<Result>&) { interrupt = true; };
  EXPECT_THROW(run(hooks), Interrupted);
  EXPECT_TRUE(report_.partial);
  EXPECT_EQ(report_.results.size(), c3::strategies().size());
}

TEST_F(Study, BytesPerRankAreBytesPerPeer) {
  options_.strategies = {"conccl"};
  for (auto& scenario : options_.suite.scenarios) {
    scenario.bytes.reset();
    scenario.bytes_per_rank = 4 * kKiB;
  }
  run();
  ASSERT_EQ(report_.results.size(), 3U);
  for (const auto& result : report_.results) {
    EXPECT_EQ(result.bytes_per_peer, 4 * kKiB);
    EXPECT_EQ(result.bytes, 12 * kKiB);
  }
}

TEST_F(Study, SkipsAScenarioWhoseTypeThereIsNot) {
  options_.strategies = {"conccl"};
  options_.peers = PeerPolicy::none;
  for (auto& scenario : options_.suite.scenarios) {
    scenario.gemm.type = scenario.name == "first" ? GemmType::fp8 : GemmType::fp32;
  }
  run();
  ASSERT_EQ(report_.results.size(), 1U);
  EXPECT_EQ(report_.results[0].scenario, "second");
  EXPECT_EQ(report_.results[0].gemm.type, GemmType::fp32);
  ASSERT_EQ(report_.skipped.size(), 1U) << "once, though it has two collectives";
  EXPECT_EQ(report_.skipped[0].scenario, "first");
  EXPECT_EQ(report_.skipped[0].strategy, "");
  EXPECT_THAT(report_.skipped[0].reason,
              testing::AllOf(testing::HasSubstr("64x64x64 fp8"),
                             testing::HasSubstr("bf16 (as fp32), fp32")));
  EXPECT_FALSE(report_.partial);
}

TEST_F(Study, IsUnavailableWhereNoScenarioCanRun) {
  for (auto& scenario : options_.suite.scenarios) scenario.gemm.type = GemmType::fp16;
  EXPECT_THROW(check_study(*backend_, options_), Unavailable);
  EXPECT_THROW(run(), Unavailable);
  EXPECT_TRUE(report_.suite.empty()) << "nothing has begun";
}

TEST_F(Study, ScaledScenariosKeepShapeAndGetBytes) {
  options_.sizes = SizePolicy::scaled;
  options_.gemm_target = Milliseconds(0.5);
  options_.reference = c3::load_known_machine("mi300x");
  options_.strategies = {"conccl"};
  for (auto& scenario : options_.suite.scenarios) {
    scenario.bytes.reset();
    scenario.ratio = 1;
  }
  run();
  ASSERT_EQ(report_.results.size(), 3U);
  EXPECT_EQ(report_.results[0].gemm, report_.results[1].gemm);
  EXPECT_EQ(report_.results[0].gemm.shape.m, report_.results[0].gemm.shape.n);
  for (const auto& result : report_.results) EXPECT_GT(result.bytes_per_peer, 0U);
}

TEST_F(Study, SaysHowLongItRested) {
  options_.suite.scenarios.resize(1);
  options_.strategies = {"conccl"};
  options_.rest = 0.5;
  run();
  EXPECT_EQ(report_.rest, 0.5);
}

TEST_F(Study, RefusesOptionsThatMakeNoSense) {
  const auto expect_refused = [this](auto change, const std::string& word) {
    options_ = tiny_options();
    change(options_);
    try {
      run();
      FAIL() << "accepted: " << word;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(word));
    }
  };
  expect_refused([](auto& options) { options.rounds = 0; }, "rounds");
  expect_refused([](auto& options) { options.warmup = -1; }, "warmup");
  expect_refused([](auto& options) { options.sweep_rounds = 0; }, "sweep rounds");
  expect_refused([](auto& options) { options.rest = -1; }, "rest");
  expect_refused([](auto& options) { options.rest = std::nan(""); }, "rest");
  expect_refused([](auto& options) { options.ranks = 1; }, "ranks");
  expect_refused([](auto& options) { options.ranks = 1'000'000; }, "ranks");
  expect_refused([](auto& options) { options.strategies = {"c3_magic"}; }, "c3_magic");
  expect_refused([](auto& options) { options.suite.scenarios.clear(); }, "scenarios");
  expect_refused([](auto& options) { options.suite.scenarios[0].bytes = 2; }, "ranks");
}

}  // namespace
}  // namespace conccl::bench
