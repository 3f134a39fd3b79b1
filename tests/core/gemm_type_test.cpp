// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/gemm_type.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/support.hpp"

namespace conccl {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(GemmType, NamesAreUndoneByParsing) {
  for (const GemmType type : all_gemm_types()) EXPECT_EQ(parse_gemm_type(name_of(type)), type);
  EXPECT_EQ(name_of(GemmType::bf16), "bf16");
  EXPECT_EQ(name_of(GemmType::fp16), "fp16");
  EXPECT_EQ(name_of(GemmType::fp8), "fp8");
  EXPECT_EQ(name_of(GemmType::fp32), "fp32");
}

TEST(GemmType, OnlyFp8HasLargerResults) {
  for (const GemmType type : all_gemm_types()) {
    if (type == GemmType::fp8) continue;
    EXPECT_EQ(operand_bytes(type), result_bytes(type)) << name_of(type);
  }
  EXPECT_EQ(operand_bytes(GemmType::bf16), 2U);
  EXPECT_EQ(operand_bytes(GemmType::fp16), 2U);
  EXPECT_EQ(operand_bytes(GemmType::fp8), 1U);
  EXPECT_EQ(result_bytes(GemmType::fp8), 2U);
  EXPECT_EQ(operand_bytes(GemmType::fp32), 4U);
}

TEST(GemmType, OtherNamesAreRefusedWithTheKnown) {
  for (const char* name : {"", "int4", "BF16", "fp8 ", "float16"}) {
    EXPECT_THAT(
        input_error([&] { (void)parse_gemm_type(name); }),
        AllOf(HasSubstr(std::string("'") + name + "'"), HasSubstr("bf16, fp16, fp8, fp32")));
  }
}

}  // namespace
}  // namespace conccl
