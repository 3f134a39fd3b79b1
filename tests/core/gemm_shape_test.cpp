// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/gemm_shape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "tests/core/support.hpp"

namespace conccl {
namespace {

using testing::HasSubstr;

TEST(GemmShape, CountsMultiplicationsAndAdditions) {
  EXPECT_EQ(flops({2, 3, 5}), 60);
  EXPECT_EQ(flops({8192, 106496, 16384}), 2.0 * 8192 * 106496 * 16384);
}

TEST(GemmSpec, BytesAreOfEveryMatrixInItsOwnSize) {
  // A has 10 elements, B 15, C 6.
  EXPECT_EQ(bytes_moved({{2, 3, 5}, GemmType::bf16}), 2 * 31);
  EXPECT_EQ(bytes_moved({{2, 3, 5}, GemmType::fp16}), 2 * 31);
  EXPECT_EQ(bytes_moved({{2, 3, 5}, GemmType::fp8}), 25 + 2 * 6);
  EXPECT_EQ(bytes_moved({{2, 3, 5}, GemmType::fp32}), 4 * 31);
}

TEST(GemmSpec, IsPrintedWithItsType) {
  EXPECT_EQ(to_string(GemmSpec{{2, 3, 5}, GemmType::fp8}), "2x3x5 fp8");
  EXPECT_EQ(to_string(GemmSpec{{2, 3, 5}}), "2x3x5 bf16");
}

RC_GTEST_PROP(GemmShape, TextIsUndoneByParsing, ()) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 31;
  const auto dimension = rc::gen::inRange<std::int64_t>(1, kLimit);
  const GemmShape shape{*dimension, *dimension, *dimension};
  RC_ASSERT(parse_gemm_shape(to_string(shape)) == shape);
}

class ParseGemmShapeRejects : public testing::TestWithParam<const char*> {};

TEST_P(ParseGemmShapeRejects, AndNamesTheText) {
  EXPECT_THAT(input_error([&] { (void)parse_gemm_shape(GetParam()); }),
              HasSubstr(std::string("'") + GetParam() + "'"));
}

INSTANTIATE_TEST_SUITE_P(All, ParseGemmShapeRejects,
                         testing::Values("", "8", "8x8", "8x8x", "8x8x8x", "8x8x8 ", "0x8x8",
                                         "8x-8x8", "8X8X8", "8x8x2147483648", "axbxc",
                                         "8x8x99999999999999999999"));

}  // namespace
}  // namespace conccl
