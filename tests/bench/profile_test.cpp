// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// A profile as a whole, on a suite small enough for a test. Times are never asserted.

#include "conccl/bench/profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <set>

#include "conccl/backend/registry.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

using c3::BudgetKind;
using c3::Sample;
using testing::HasSubstr;

constexpr std::string_view kProfiled = R"(
schema = "conccl.suite/1"
name = "tiny"
type = "bf16"
[[scenario]]
name = "only"
gemm = "64x64x64"
bytes = "4K"
collectives = ["all_gather", "all_to_all"]
source = "a test"
)";

constexpr GemmSpec kFurther{{48, 32, 16}, GemmType::fp32};

/// The host's devices as if they were no emulation.
class PlainHost final : public backend::Backend {
 public:
  PlainHost() : capabilities_(host_->capabilities()) { capabilities_.emulation = false; }

  [[nodiscard]] const backend::Capabilities& capabilities() const override { return capabilities_; }
  [[nodiscard]] const Machine& machine() const override { return host_->machine(); }
  [[nodiscard]] std::unique_ptr<backend::Device> open_device(int index) override {
    return host_->open_device(index);
  }

 private:
  std::unique_ptr<backend::Backend> host_ = backend::open("host");
  backend::Capabilities capabilities_;
};

class ProfileRun : public testing::Test {
 protected:
  ProfileRun() {
    options_.study.suite = c3::parse_suite(kProfiled, "tiny.toml");
    options_.study.ranks = 2;
    options_.study.rounds = 1;
    options_.study.seed = 7;
    options_.study.sizes = SizePolicy::as_given;
  }

  void run(const ProfileHooks& hooks = {}) { run_profile(*backend_, options_, hooks, profile_); }

  [[nodiscard]] c3::DeviceShape device() const {
    return {backend_->capabilities().compute_units, backend_->capabilities().dma_engines};
  }

  /// Of strategies with a budget of the kind, each once.
  [[nodiscard]] std::set<int> budgets(BudgetKind kind) const {
    std::set<int> found;
    for (const auto& strategy : c3::strategies()) {
      if (strategy.budget != kind) continue;
      for (const int budget : c3::budgets_to_sweep(strategy, device())) found.insert(budget);
    }
    return found;
  }

  [[nodiscard]] std::set<std::pair<std::string, int>> found(Sample::Kind kind,
                                                            plan::Collective collective) const {
    std::set<std::pair<std::string, int>> set;
    for (const auto& sample : profile_.samples) {
      if (sample.kind != kind || sample.collective != collective) continue;
      EXPECT_TRUE(set.emplace(sample.how, sample.budget).second) << sample.how << sample.budget;
    }
    return set;
  }

  std::unique_ptr<backend::Backend> backend_ = backend::open("host");
  ProfileOptions options_;
  Profile profile_;
};

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

TEST_F(ProfileRun, TimesFurtherGemmsBesideEachCollectiveBehindTheScenarios) {
  backend_ = std::make_unique<PlainHost>();
  options_.gemms = {kFurther};
  std::size_t steps = 0;
  ProfileHooks hooks;
  hooks.step_done = [&](const Profile&) { ++steps; };
  run(hooks);
  EXPECT_EQ(steps, 4u);
  EXPECT_FALSE(profile_.emulation);
  std::erase_if(profile_.samples, [](const Sample& sample) {
    return sample.kind != Sample::Kind::collective && sample.gemm != kFurther;
  });
  std::set<std::pair<std::string, int>> units{{"", 0}};
  for (const auto kind : {BudgetKind::comm_units, BudgetKind::gemm_gives}) {
    for (const int budget : budgets(kind)) units.emplace("", budget);
  }
  EXPECT_EQ(found(Sample::Kind::gemm, plan::Collective::all_gather), units);
  EXPECT_EQ(found(Sample::Kind::gemm, plan::Collective::all_to_all).size(), 1u)
      << "its units are the same beside either";
  std::set<std::pair<std::string, int>> together;
  for (const auto& strategy : c3::strategies()) {
    if (strategy.name == "serial") continue;
    for (const int budget : c3::budgets_to_sweep(strategy, device())) {
      together.emplace(strategy.name, budget);
    }
  }
  for (const auto collective : plan::all_collectives()) {
    EXPECT_EQ(found(Sample::Kind::together, collective), together);
  }
}

TEST_F(ProfileRun, TimesCollectivesOfFurtherSizesAlone) {
  backend_ = std::make_unique<PlainHost>();
  options_.sizes = {64 * kKiB, 128 * kKiB};
  run();
  std::set<std::pair<std::string, int>> expected{{"dma", 0}, {"kernels", 0}};
  for (const int limit : budgets(BudgetKind::comm_units)) expected.emplace("kernels", limit);
  for (const Bytes bytes : options_.sizes) {
    std::vector<Sample> all = profile_.samples;
    std::erase_if(profile_.samples, [&](const Sample& sample) { return sample.bytes != bytes; });
    for (const auto collective : plan::all_collectives()) {
      EXPECT_EQ(found(Sample::Kind::collective, collective), expected);
      EXPECT_TRUE(found(Sample::Kind::together, collective).empty());
    }
    profile_.samples = std::move(all);
  }
}

TEST_F(ProfileRun, RefusesSizesThatDoNotFitBeforeItBegins) {
  backend_ = std::make_unique<PlainHost>();
  for (const Bytes bytes : {Bytes{100}, Bytes{1} << 60}) {
    options_.sizes = {64 * kKiB, bytes};
    try {
      run();
      FAIL() << "accepted " << bytes;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("to time alone: expected 64 for each rank at least"));
    }
    EXPECT_TRUE(profile_.suite.empty());
  }
}

TEST_F(ProfileRun, TimesALongGemmAtRestToo) {
  backend_ = std::make_unique<PlainHost>();
  // A millisecond at a TFLOP/s: long on any host.
  const GemmSpec is_long{{512, 1024, 1024}, GemmType::fp32};
  options_.study.suite.scenarios.resize(1);
  options_.gemms = {is_long};
  run();
  int rested = 0;
  for (const auto& sample : profile_.samples) {
    if (sample.gemm != is_long || sample.how != c3::kRested) continue;
    ++rested;
    EXPECT_EQ(sample.kind, Sample::Kind::gemm);
    EXPECT_EQ(sample.budget, 0);
    EXPECT_EQ(sample.ms.n, 3u);
    EXPECT_GT(sample.gemm_share, 0);
    EXPECT_LT(sample.gemm_share, 0.5) << "a pause of ten runs lies before each";
  }
  EXPECT_EQ(rested, 2) << "beside either collective";
}

TEST_F(ProfileRun, SaysWhichPartOfTheTimeGemmsRanIn) {
  run();
  for (const auto& sample : profile_.samples) {
    EXPECT_EQ(sample.gemm_share > 0, sample.kind != Sample::Kind::collective);
    EXPECT_LE(sample.gemm_share, 1);
  }
}

TEST_F(ProfileRun, RefusesFurtherGemmsOnAnEmulationBeforeItBegins) {
  options_.gemms = {kFurther};
  try {
    run();
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("further GEMMs or sizes"));
  }
  EXPECT_TRUE(profile_.suite.empty());
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
