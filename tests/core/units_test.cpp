// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <ostream>

#include "tests/core/support.hpp"

namespace conccl {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr Bytes kLargest = std::numeric_limits<std::int64_t>::max();

TEST(ParseBytes, ReadsEverySuffix) {
  EXPECT_EQ(parse_bytes("0"), 0U);
  EXPECT_EQ(parse_bytes("1536"), 1536U);
  EXPECT_EQ(parse_bytes("64K"), 64 * kKiB);
  EXPECT_EQ(parse_bytes("8M"), 8 * kMiB);
  EXPECT_EQ(parse_bytes("1G"), kGiB);
  EXPECT_EQ(parse_bytes("2T"), 2048 * kGiB);
  EXPECT_EQ(parse_bytes("8MB"), 8 * kMiB);
  EXPECT_EQ(parse_bytes("8MiB"), 8 * kMiB);
  EXPECT_EQ(parse_bytes("12B"), 12U);
  EXPECT_EQ(parse_bytes("9223372036854775807"), kLargest);
}

struct BadBytes {
  const char* text;
  const char* why;
};

void PrintTo(const BadBytes& bad, std::ostream* out) { *out << '"' << bad.text << '"'; }

class ParseBytesRejects : public testing::TestWithParam<BadBytes> {};

TEST_P(ParseBytesRejects, AndNamesTheText) {
  const auto [text, why] = GetParam();
  EXPECT_THAT(input_error([&] { (void)parse_bytes(text); }),
              AllOf(HasSubstr('"' + std::string(text) + '"'), HasSubstr(why),
                    HasSubstr("expected a whole number")));
}

INSTANTIATE_TEST_SUITE_P(
    All, ParseBytesRejects,
    testing::Values(BadBytes{"", "empty"}, BadBytes{"-1", "negative"},
                    BadBytes{"1.5M", "fractional"}, BadBytes{"64Q", "\"Q\" is not known"},
                    BadBytes{"64k", "\"k\" is not known"}, BadBytes{"64 K", "\" K\" is not known"},
                    BadBytes{"64iB", "\"iB\" is not known"}, BadBytes{"64KX", "\"KX\""},
                    BadBytes{"K", "digit"}, BadBytes{"+1", "digit"}, BadBytes{" 1", "digit"},
                    BadBytes{"9223372036854775808", "2^63 - 1"},
                    BadBytes{"99999999999999999999", "2^63 - 1"}, BadBytes{"8388608T", "2^63 - 1"},
                    BadBytes{"9007199254740992K", "2^63 - 1"}));

TEST(FormatBytes, IsTheShortestExactForm) {
  EXPECT_EQ(format_bytes(0), "0");
  EXPECT_EQ(format_bytes(1537), "1537");
  EXPECT_EQ(format_bytes(65536), "64K");
  EXPECT_EQ(format_bytes(3328 * kMiB), "3328M");
  EXPECT_EQ(format_bytes(1024 * kGiB), "1T");
  EXPECT_EQ(format_bytes(1024 * 1024 * kGiB), "1024T");
}

RC_GTEST_PROP(FormatBytes, IsUndoneByParseBytes, ()) {
  const int shift = *rc::gen::inRange(0, 63);
  const Bytes bytes = *rc::gen::inRange<Bytes>(0, kLargest) >> shift << (shift / 2);
  RC_PRE(bytes <= kLargest);
  RC_ASSERT(parse_bytes(format_bytes(bytes)) == bytes);
}

TEST(CheckedProduct, MultipliesUpToTheLimit) {
  EXPECT_EQ(checked_product(0, kLargest, "bytes"), 0U);
  EXPECT_EQ(checked_product(kLargest, 0, "bytes"), 0U);
  EXPECT_EQ(checked_product(1, kLargest, "bytes"), kLargest);
  EXPECT_EQ(checked_product(3 * kGiB, 2, "bytes"), 6 * kGiB);
}

TEST(CheckedProduct, RejectsWhatDoesNotFitAndNamesIt) {
  EXPECT_THAT(input_error([] { (void)checked_product(1 + kLargest / 2, 2, "all_gather bytes"); }),
              AllOf(HasSubstr("all_gather bytes"), HasSubstr("4611686018427387904 times 2")));
  EXPECT_THROW((void)checked_product(kLargest + 1, 1, "bytes"), InputError);
  EXPECT_THROW((void)checked_product(~Bytes{0}, ~Bytes{0}, "bytes"), InputError);
}

TEST(ToMs, KeepsFractions) { EXPECT_DOUBLE_EQ(to_ms(Nanoseconds(1'500)), 0.0015); }

}  // namespace
}  // namespace conccl
