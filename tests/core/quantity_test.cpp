// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "core/quantity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <ostream>

#include "tests/core/support.hpp"

namespace conccl {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(ParseQuantity, TurnsUnitsIntoTheOneOfTheField) {
  EXPECT_EQ(parse_quantity("5300 GB/s", Quantity::bandwidth), 5300);
  EXPECT_EQ(parse_quantity("5.3 TB/s", Quantity::bandwidth), 5300);
  EXPECT_EQ(parse_quantity("5.3TB/s", Quantity::bandwidth), 5300);
  EXPECT_EQ(parse_quantity("1307.4 TFLOP/s", Quantity::compute_rate), 1307.4);
  EXPECT_EQ(parse_quantity("2 PFLOP/s", Quantity::compute_rate), 2000);
  EXPECT_EQ(parse_quantity("12 us", Quantity::duration), 12000);
  EXPECT_EQ(parse_quantity("0 ns", Quantity::duration), 0);
  EXPECT_EQ(parse_quantity("750 W", Quantity::power), 750);
  EXPECT_EQ(parse_quantity("0.75 kW", Quantity::power), 750);
}

struct BadQuantity {
  const char* text;
  const char* why;
};

void PrintTo(const BadQuantity& bad, std::ostream* out) { *out << '"' << bad.text << '"'; }

class ParseQuantityRejects : public testing::TestWithParam<BadQuantity> {};

TEST_P(ParseQuantityRejects, AndListsTheUnits) {
  const auto [text, why] = GetParam();
  EXPECT_THAT(input_error([&] { (void)parse_quantity(text, Quantity::bandwidth); }),
              AllOf(HasSubstr('"' + std::string(text) + '"'), HasSubstr(why),
                    HasSubstr("one of GB/s, TB/s, MB/s, such as \"5300 GB/s\"")));
}

INSTANTIATE_TEST_SUITE_P(
    All, ParseQuantityRejects,
    testing::Values(BadQuantity{"", "number"}, BadQuantity{"GB/s", "number"},
                    BadQuantity{"64", "no unit"}, BadQuantity{"64 ", "no unit"},
                    BadQuantity{"64 GiB/s", "the unit \"GiB/s\" is not known"},
                    BadQuantity{"64 us", "the unit \"us\" is not known"},
                    BadQuantity{"64  GB/s", "the unit \" GB/s\" is not known"},
                    BadQuantity{"-64 GB/s", "negative"}, BadQuantity{"inf GB/s", "number"},
                    BadQuantity{"nan GB/s", "number"}, BadQuantity{"1e308 TB/s", "too large"},
                    BadQuantity{"1e999 GB/s", "number"}));

RC_GTEST_PROP(FormatQuantity, IsUndoneByParseQuantity, ()) {
  const auto kind = *rc::gen::element(Quantity::bandwidth, Quantity::compute_rate,
                                      Quantity::duration, Quantity::power);
  const double value = std::ldexp(*rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 53),
                                  *rc::gen::inRange(-80, 20));
  RC_ASSERT(parse_quantity(format_quantity(value, kind), kind) == value);
}

TEST(FormatQuantity, PrefersTheShortestForm) {
  EXPECT_EQ(format_quantity(24000, Quantity::duration), "24 us");
  EXPECT_EQ(format_quantity(448, Quantity::bandwidth), "448 GB/s");
}

}  // namespace
}  // namespace conccl
