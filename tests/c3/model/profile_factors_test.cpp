// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What a profile shows of how GEMMs and collectives slow each other.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/c3/model/profile_support.hpp"

namespace conccl::c3 {
namespace {

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

}  // namespace
}  // namespace conccl::c3
