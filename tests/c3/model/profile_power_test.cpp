// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What a profile shows of a limit on power.

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

}  // namespace
}  // namespace conccl::c3
