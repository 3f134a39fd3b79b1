// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/data_type.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/support.hpp"

namespace conccl {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr DataType kAll[] = {
    DataType::int8,   DataType::uint8,   DataType::int32,   DataType::uint32,  DataType::int64,
    DataType::uint64, DataType::float16, DataType::float32, DataType::float64, DataType::bfloat16};

TEST(DataTypeName, IsUndoneByParsing) {
  for (const DataType type : kAll) EXPECT_EQ(parse_data_type(name_of(type)), type);
}

TEST(DataTypeName, AcceptsThoseOfNcclTests) {
  EXPECT_EQ(parse_data_type("float"), DataType::float32);
  EXPECT_EQ(parse_data_type("half"), DataType::float16);
  EXPECT_EQ(parse_data_type("double"), DataType::float64);
}

TEST(DataTypeName, RejectsOthersAndListsTheKnown) {
  EXPECT_THAT(input_error([] { (void)parse_data_type("float128"); }),
              AllOf(HasSubstr("'float128'"), HasSubstr("float32"), HasSubstr("bfloat16")));
}

TEST(DataTypeSize, IsThatOfOneElement) {
  EXPECT_EQ(size_of(DataType::int8), 1U);
  EXPECT_EQ(size_of(DataType::bfloat16), 2U);
  EXPECT_EQ(size_of(DataType::float32), 4U);
  EXPECT_EQ(size_of(DataType::uint64), 8U);
}

}  // namespace
}  // namespace conccl
