// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/advisor/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/c3/model/support.hpp"

namespace conccl::c3 {
namespace {

using testing::HasSubstr;

/// "where: what" of each, a line each.
std::string lines_of(std::string_view backend, std::string_view strategy, int budget) {
  Machine machine = plain_machine();
  machine.backend = backend;
  std::string lines;
  for (const Setting& setting : settings_for(machine, find_strategy(strategy), budget)) {
    EXPECT_FALSE(setting.source.empty()) << setting.what;
    lines += setting.where + ": " + setting.what + "\n";
  }
  return lines;
}

TEST(Settings, OfDmaAreOurPolicy) {
  for (const char* backend : {"cuda", "hsa", "host"}) {
    EXPECT_THAT(lines_of(backend, "conccl", 0), HasSubstr("conccl: policy = concclPolicyDma\n"));
  }
  EXPECT_THAT(lines_of("cuda", "conccl", 0), testing::Not(HasSubstr("gemm:")));
}

TEST(Settings, OfUnitsGivenUpAreTheGemms) {
  EXPECT_THAT(lines_of("cuda", "conccl_rp", 8),
              HasSubstr("gemm: CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET: 92 of 100\n"));
  EXPECT_THAT(lines_of("hsa", "conccl_rp", 8),
              HasSubstr("hipExtStreamCreateWithCUMask: 92 of 100"));
  EXPECT_THAT(lines_of("cuda", "conccl_rp", 0), testing::Not(HasSubstr("gemm:")));
  EXPECT_THAT(lines_of("cuda", "conccl_rp", 8), testing::Not(HasSubstr("NCCL_MAX_CTAS")));
}

TEST(Settings, OfASplitLimitTheVendorsThreadBlocks) {
  EXPECT_THAT(lines_of("cuda", "c3_rp", 20), HasSubstr("NCCL_MAX_CTAS=20 (thread blocks of NCCL;"));
  EXPECT_THAT(lines_of("hsa", "c3_rp", 20), HasSubstr("NCCL_MAX_CTAS=20 (thread blocks of RCCL;"));
  EXPECT_THAT(lines_of("hsa", "c3_rp", 20), HasSubstr("80 of 100"));
}

TEST(Settings, OfPriorityAreTheStreams) {
  EXPECT_THAT(lines_of("cuda", "c3_sp", 0), HasSubstr("cudaStreamCreateWithPriority"));
  EXPECT_THAT(lines_of("hsa", "c3_sp", 0), HasSubstr("hipStreamCreateWithPriority"));
  EXPECT_THAT(lines_of("cuda", "c3_sp", 0), HasSubstr("pytorch: TORCH_NCCL_HIGH_PRIORITY=1"));
  EXPECT_THAT(lines_of("cuda", "c3_base", 0), testing::Not(HasSubstr("PRIORITY")));
}

TEST(Settings, SayTheOrder) {
  EXPECT_THAT(lines_of("cuda", "serial", 0), HasSubstr("one stream"));
  EXPECT_THAT(lines_of("cuda", "c3_base", 0), HasSubstr("enqueue the GEMM first"));
  EXPECT_THAT(lines_of("cuda", "c3_sp_rp", 8), HasSubstr("enqueue the collective first"));
}

TEST(Settings, WithoutAVendorRunOurKernels) {
  EXPECT_THAT(lines_of("host", "c3_rp", 8), HasSubstr("conccl: policy = concclPolicyCompute\n"));
  EXPECT_THAT(lines_of("host", "c3_sp_rp", 8), testing::Not(HasSubstr("NCCL")));
  EXPECT_THAT(lines_of("cuda", "c3_rp", 8), testing::Not(HasSubstr("conccl:")));
}

}  // namespace
}  // namespace conccl::c3
