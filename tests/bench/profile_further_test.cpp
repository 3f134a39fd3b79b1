// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What a profile has beyond its scenarios: further GEMMs and sizes, runs at rest, parts of the
// time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conccl/core/errors.hpp"
#include "tests/bench/profile_support.hpp"

namespace conccl::bench {
namespace {

using testing::HasSubstr;

TEST_F(ProfileRun, TimesFurtherGemmsBesideEachCollectiveBehindTheScenarios) {
  backend_ = std::make_unique<PlainHost>();
  options_.gemms = {kFurther};
  std::size_t steps = 0;
  ProfileHooks hooks;
  hooks.step_done = [&](const Profile&) { ++steps; };
  run(hooks);
  EXPECT_EQ(steps, 4u);
  EXPECT_FALSE(profile_.emulation);
  // On a host under load even such a GEMM may be long enough to be timed at rest too.
  std::erase_if(profile_.samples, [](const Sample& sample) {
    const bool other = sample.kind != Sample::Kind::collective && sample.gemm != kFurther;
    return other || sample.how == c3::kRested;
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

}  // namespace
}  // namespace conccl::bench
