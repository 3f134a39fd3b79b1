// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/roofline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/c3/support.hpp"
#include "tests/core/support.hpp"

namespace conccl::c3 {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(RooflineGemm, ComputeBoundByHand) {
  // 2e12 operations at 50 TFLOP/s.
  EXPECT_EQ(roofline_gemm(round_machine(), {10'000, 10'000, 10'000}), Nanoseconds(40'000'000));
}

TEST(RooflineGemm, MemoryBoundByHand) {
  // 1e8 + 2e4 elements of 2 bytes at 500 GB/s.
  EXPECT_EQ(roofline_gemm(round_machine(), {10'000, 10'000, 1}), Nanoseconds(400'080));
}

TEST(RooflineGemm, TheTypeSetsPeakAndSize) {
  EXPECT_EQ(roofline_gemm(round_machine(), {{10'000, 10'000, 10'000}, GemmType::fp8}),
            Nanoseconds(20'000'000));
  // 2e4 elements of one byte, and a result of 1e8 elements of two.
  EXPECT_EQ(roofline_gemm(round_machine(), {{10'000, 10'000, 1}, GemmType::fp8}),
            Nanoseconds(400'040));
  // 2e8 elements of one byte, and a result of one element.
  EXPECT_EQ(roofline_gemm(round_machine(), {{1, 1, 100'000'000}, GemmType::fp8}),
            Nanoseconds(400'001));
}

TEST(RooflineGemm, AddsItsLaunch) {
  Machine machine = round_machine();
  machine.model.gemm_launch_ns = 2'000;
  EXPECT_EQ(roofline_gemm(machine, {10'000, 10'000, 10'000}), Nanoseconds(40'002'000));
}

TEST(RooflineGemm, AddsWhatTheLongerSideDoesNotHide) {
  Machine machine = round_machine();
  machine.model.gemm_launch_ns = 1'000;
  machine.model.gemm_serial = 0.5;
  machine.model.memory_efficiency = 0.8;
  // 2e9 operations at 50 TFLOP/s; 3e6 elements of 2 bytes at 800 GB/s.
  EXPECT_EQ(roofline_gemm(machine, {1'000, 1'000, 1'000}), Nanoseconds(1'000 + 40'000 + 3'750));
  // 2e8 operations; 1e8 + 2e4 elements.
  EXPECT_EQ(roofline_gemm(machine, {10'000, 10'000, 1}), Nanoseconds(1'000 + 250'050 + 2'000));
  machine.model.memory_efficiency = 0;  // not known: all of the bandwidth
  EXPECT_EQ(roofline_gemm(machine, {1'000, 1'000, 1'000}), Nanoseconds(1'000 + 40'000 + 3'000));
}

TEST(RooflineGemm, ExtremesStayInRange) {
  constexpr std::int64_t kLargest = 2'147'483'647;
  EXPECT_EQ(roofline_gemm(round_machine(), {1, 1, 1}), Nanoseconds(1));
  EXPECT_EQ(roofline_gemm(round_machine(), {kLargest, kLargest, kLargest}), Nanoseconds::max());
}

std::string gemm_error(const Machine& machine, GemmType type) {
  return input_error([&] { (void)roofline_gemm(machine, {{1, 1, 1}, type}); });
}

TEST(RooflineGemm, NamesWhatTheMachineLacks) {
  EXPECT_THAT(gemm_error(round_machine(), GemmType::fp32),
              AllOf(HasSubstr("\"round\""), HasSubstr("device.peak.fp32")));
  Machine no_memory = round_machine();
  no_memory.device.memory_gbps = 0;
  EXPECT_THAT(gemm_error(no_memory, GemmType::bf16), HasSubstr("device.memory_bandwidth"));
  Machine no_efficiency = round_machine();
  no_efficiency.device.gemm_efficiency = 0;
  EXPECT_THAT(gemm_error(no_efficiency, GemmType::bf16), HasSubstr("device.gemm_efficiency"));
}

TEST(BaselineCollective, ByHand) {
  EXPECT_EQ(baseline_collective(round_machine(), plan::Collective::all_gather, 1'000'000),
            Nanoseconds(20'000));
  EXPECT_EQ(baseline_collective(round_machine(), plan::Collective::all_gather, 0),
            Nanoseconds(10'000));
}

TEST(BaselineCollective, NamesWhatTheMachineLacks) {
  EXPECT_THAT(input_error([] {
                (void)baseline_collective(round_machine(), plan::Collective::all_to_all, 1);
              }),
              AllOf(HasSubstr("\"round\""), HasSubstr("baseline.all_to_all")));
}

}  // namespace
}  // namespace conccl::c3
