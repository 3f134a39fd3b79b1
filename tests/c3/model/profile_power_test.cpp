// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What a profile shows of a limit on power, and of single GEMMs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/c3/model/profile_support.hpp"

namespace conccl::c3 {
namespace {

TEST(FitProfile, FindsWhatAGemmLosesToALimitOnPower) {
  auto samples = samples_alone(kLimits);
  const GemmSpec gemm = kComputeGemms.front();
  const auto alone = std::ranges::find_if(samples, [&](const Sample& sample) {
    return sample.kind == Sample::Kind::gemm && sample.gemm == gemm && sample.budget == 0;
  });
  Sample rested = *alone;
  rested.how = kRested;
  rested.ms = {1, 1, 1, 3};
  samples.push_back(rested);
  EXPECT_EQ(fitted(samples).model.gemms.front().time_ns, 1'000'000) << "at rest";
  // From 0.4 on, up to 0.9, where it takes 1.25 times as long.
  for (const double share : {0.2, 0.4, 0.5, 0.65, 0.8, 0.9, 1.0}) {
    Sample sample = rested;
    sample.how = kSustained;
    sample.gemm_share = share;
    sample.ms.median = 1 + std::clamp(share - 0.4, 0.0, 0.5) / 2;
    samples.push_back(sample);
  }
  std::erase_if(samples, [&](const Sample& sample) {
    return sample.gemm == gemm && sample.how.empty() && sample.kind == Sample::Kind::gemm &&
           sample.budget != 0;
  });
  for (Sample& sample : samples) {
    if (sample.gemm == gemm && sample.how.empty()) sample.ms = rested.ms;
  }
  const Machine machine = fitted(samples);
  EXPECT_NEAR(throttling(machine, gemm, 1), 1.25, 0.01);
  EXPECT_NEAR(throttling(machine, gemm, 0.65), 1.125, 0.01);
  EXPECT_NEAR(throttling(machine, gemm, 0.3), 1, 0.01);
}

TEST(FitProfile, WithoutTimesAtRestOrWhereTheyAreNoShorterKnowsNoLimitOnPower) {
  auto samples = samples_alone(kLimits);
  EXPECT_EQ(fitted(samples).model.power, PowerFacts{});
  const auto alone = std::ranges::find_if(samples, [](const Sample& sample) {
    return sample.kind == Sample::Kind::gemm && sample.gemm == kComputeGemms.front() &&
           sample.budget == 0;
  });
  Sample rested = *alone;
  rested.how = kRested;
  rested.ms.median *= 0.999;
  samples.push_back(rested);
  EXPECT_EQ(fitted(samples).model.power, PowerFacts{});
}

TEST(FitProfile, GivesAGemmItsOwnFactorsWhereItsTimesShowOthers) {
  const Machine known = known_machine();
  auto samples = samples_of(known, kLimits);
  Machine other = known;
  other.model.beside["compute_bound"]["all_gather"].gemm_by_dma = 2.5;
  const auto others = samples_of(other, kLimits);
  ASSERT_EQ(others.size(), samples.size());
  const GemmSpec gemm = kComputeGemms.front();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].kind == Sample::Kind::together && samples[i].gemm == gemm)
      samples[i] = others[i];
  }
  const Machine machine = fitted(samples);
  const auto factor = [&](const GemmSpec& of) {
    return gemm_cost(machine, of, plan::Collective::all_gather).beside.gemm_by_dma;
  };
  EXPECT_GT(factor(gemm), 1.5);
  EXPECT_LT(factor(kComputeGemms.back()), 1.3);
}

/// Seen where the copies last longer than the GEMM, and the same for both collectives.
TEST(FitProfile, FindsWhatALaunchLosesBesideAGemm) {
  Machine known = known_machine();
  for (const char* const collective : {"all_gather", "all_to_all"}) {
    known.model.beside["memory_bound"][collective].dma_launch_by_gemm = 2.5;
  }
  const Machine machine = fitted(samples_of(known, kLimits));
  const auto& found = machine.model.beside.at("memory_bound");
  EXPECT_GT(found.at("all_gather").dma_launch_by_gemm, 1.2);
  EXPECT_EQ(found.at("all_to_all").dma_launch_by_gemm, found.at("all_gather").dma_launch_by_gemm);
  EXPECT_LT(machine.model.beside.at("compute_bound").at("all_gather").dma_launch_by_gemm, 1.1);
}

TEST(FitProfile, TakesTheMeanOfTimesThatFallWithMoreBytes) {
  auto samples = samples_alone(kLimits);
  for (Sample& sample : samples) {
    const bool kernels = sample.kind == Sample::Kind::collective && sample.how == kOnKernels;
    if (!kernels || sample.budget != 0) continue;
    if (sample.bytes == kSizes[0]) sample.ms = {3, 3, 3, 5};
    if (sample.bytes == kSizes[1]) sample.ms = {1, 1, 1, 5};
    if (sample.bytes == kSizes[2]) sample.ms = {4, 4, 4, 5};
  }
  const auto times = fitted(samples).baseline.at("all_gather").times;
  const std::vector<CollectiveTime> expected{{kSizes[0], 2e6}, {kSizes[1], 2e6}, {kSizes[2], 4e6}};
  EXPECT_EQ(times, expected);
}

}  // namespace
}  // namespace conccl::c3
