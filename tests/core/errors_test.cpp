// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace conccl {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(InputErrorPrefix, KeepsWhatIsKnownOfThePlace) {
  EXPECT_STREQ(InputError("bad").what(), "bad");
  EXPECT_STREQ(InputError(SourcePosition{"a.toml", 3, 7}, "bad").what(), "a.toml:3:7: bad");
  EXPECT_STREQ(InputError(SourcePosition{"a.toml", 3, 0}, "bad").what(), "a.toml:3: bad");
  EXPECT_STREQ(InputError(SourcePosition{"a.toml", 0, 0}, "bad").what(), "a.toml: bad");
  EXPECT_STREQ(InputError(SourcePosition{"a.toml", 0, 7}, "bad").what(), "a.toml: bad");
  EXPECT_STREQ(InputError(SourcePosition{"", 3, 7}, "bad").what(), "line 3:7: bad");
  EXPECT_STREQ(InputError(SourcePosition{}, "bad").what(), "bad");
}

TEST(ErrorMessages, AreOneLineWhateverTheyQuote) {
  EXPECT_STREQ(RunError("rank \"a\nb\x1b[31m\" \xC3\xA9").what(),
               "rank \"a\\nb\\x1b[31m\" \xC3\xA9");
  EXPECT_STREQ(InputError(SourcePosition{"a\r.toml", 3, 7}, "bad\x7f").what(),
               "a\\x0d.toml:3:7: bad\\x7f");
  EXPECT_EQ(one_line(std::string_view("\0", 1)), "\\x00");
}

TEST(ErrorTypes, ShareABaseAndStayApartFromDefects) {
  EXPECT_THROW(throw CheckFailed("x"), Error);
  EXPECT_THROW(throw Unavailable("x"), Error);
  EXPECT_THROW(throw RunError("x"), Error);
  EXPECT_THROW(throw Interrupted("x"), Error);
  static_assert(!std::is_base_of_v<Error, BrokenInvariant>);
}

TEST(Ensure, SaysWhereAndWhat) {
  try {
    ensure(false, "the lanes are sorted");
    FAIL() << "expected a BrokenInvariant";
  } catch (const BrokenInvariant& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("errors_test.cpp:"), HasSubstr("broken invariant"),
                                    HasSubstr("the lanes are sorted")));
  }
}

TEST(Ensure, PrintsBothSidesOfAnEquality) {
  try {
    ensure_equal(3, 4, "ranks");
    FAIL() << "expected a BrokenInvariant";
  } catch (const BrokenInvariant& error) {
    EXPECT_THAT(error.what(), HasSubstr("ranks: 3 is not 4"));
  }
}

TEST(Ensure, IsSilentWhenTrue) {
  EXPECT_NO_THROW(ensure(true, "fine"));
  EXPECT_NO_THROW(ensure_equal(4, 4, "ranks"));
}

}  // namespace
}  // namespace conccl
