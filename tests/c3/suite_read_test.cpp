// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "conccl/c3/suite.hpp"
#include "tests/core/support.hpp"

namespace conccl::c3 {
namespace {

using plan::Collective;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Lines 1 to 3; what a test adds starts on line 4.
constexpr const char* kHead = R"(schema = "conccl.suite/1"
name = "small"
type = "bf16"
)";

/// Lines 4 to 8; its size is on line 9.
constexpr const char* kScenario = R"([[scenario]]
name = "a"
gemm = "128x256x512"
source = "made up"
collectives = ["all_gather"]
)";

Suite with(const std::string& rest) { return parse_suite(kHead + rest, "small.toml"); }
Suite with_size(const std::string& size) { return with(kScenario + size); }

TEST(ParseSuite, ReadsEveryField) {
  const Suite suite = with_size("bytes = \"8M\"\n");
  EXPECT_EQ(suite.name, "small");
  EXPECT_EQ(suite.type, GemmType::bf16);
  ASSERT_EQ(suite.scenarios.size(), 1u);
  const Scenario& scenario = suite.scenarios.front();
  EXPECT_EQ(scenario.name, "a");
  EXPECT_EQ(scenario.gemm, (GemmSpec{{128, 256, 512}, GemmType::bf16}));
  EXPECT_EQ(scenario.collective, Collective::all_gather);
  EXPECT_EQ(scenario.bytes, 8 * kMiB);
  EXPECT_EQ(scenario.ratio, std::nullopt);
  EXPECT_EQ(scenario.source, "made up");
}

TEST(ParseSuite, AScenarioMayHaveATypeOfItsOwn) {
  const Suite suite = with(std::string(kScenario) + "ratio = 1\ntype = \"fp8\"\n" + R"([[scenario]]
name = "b"
gemm = "128x256x512"
source = "made up"
collectives = ["all_gather"]
ratio = 1
)");
  ASSERT_EQ(suite.scenarios.size(), 2u);
  EXPECT_EQ(suite.scenarios[0].gemm.type, GemmType::fp8);
  EXPECT_EQ(suite.scenarios[1].gemm.type, GemmType::bf16);
}

TEST(ParseSuite, EveryTypeIsKnown) {
  for (const GemmType type : all_gemm_types()) {
    const Suite suite = with_size("ratio = 1\ntype = \"" + std::string(name_of(type)) + "\"\n");
    EXPECT_EQ(suite.scenarios.front().gemm.type, type);
  }
}

TEST(ParseSuite, ARatioMayBeWhole) {
  const Suite suite = with_size("ratio = 2\n");
  EXPECT_EQ(suite.scenarios.front().ratio, 2.0);
  EXPECT_EQ(suite.scenarios.front().bytes, std::nullopt);
}

TEST(ParseSuite, BytesMayBePerRank) {
  const Scenario scenario = with_size("bytes_per_rank = \"16M\"\n").scenarios.front();
  EXPECT_EQ(scenario.bytes_per_rank, 16 * kMiB);
  EXPECT_EQ(scenario.bytes, std::nullopt);
  EXPECT_EQ(scenario.ratio, std::nullopt);
}

TEST(ParseSuite, EachCollectiveIsAScenario) {
  const Suite suite = with(R"([[scenario]]
name = "a"
gemm = "1x2x3"
collectives = ["all_to_all", "all_gather"]
ratio = 0.5
source = "made up"
)");
  ASSERT_EQ(suite.scenarios.size(), 2u);
  EXPECT_EQ(suite.scenarios[0].collective, Collective::all_to_all);
  EXPECT_EQ(suite.scenarios[1].collective, Collective::all_gather);
  EXPECT_EQ(suite.scenarios[0].name, suite.scenarios[1].name);
  EXPECT_EQ(suite.scenarios[0].ratio, suite.scenarios[1].ratio);
}

struct Bad {
  const char* title;
  const char* text;
  const char* where;
  const char* why;
};

std::string title_of(const testing::TestParamInfo<Bad>& info) { return info.param.title; }

void expect_refused(const Bad& bad, const std::string& text) {
  EXPECT_THAT(input_error([&] { (void)parse_suite(text, "small.toml"); }),
              AllOf(StartsWith(std::string("small.toml:") + bad.where + ": "), HasSubstr(bad.why)));
}

class BadSize : public testing::TestWithParam<Bad> {};

/// What follows `kScenario`.
TEST_P(BadSize, IsRefusedWithItsPlace) {
  expect_refused(GetParam(), std::string(kHead) + kScenario + GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    ParseSuite, BadSize,
    testing::Values(
        Bad{"UnknownField", "bytes = \"8M\"\nbites = 1\n", "10:1",
            "scenario has no field \"bites\""},
        Bad{"BytesUnit", "bytes = \"8Q\"\n", "9:9", "\"8Q\" is not a byte count"},
        Bad{"BytesNegative", "bytes = \"-8M\"\n", "9:9", "\"-8M\" is not a byte count"},
        Bad{"BytesTooLarge", "bytes = \"9999999T\"\n", "9:9", "\"9999999T\" is not a byte count"},
        Bad{"BytesZero", "bytes = \"0\"\n", "9:9", "scenario.bytes is zero"},
        Bad{"BytesNumber", "bytes = 8\n", "9:9", "scenario.bytes is not a string"},
        Bad{"BytesEmpty", "bytes = \"\"\n", "9:9", "scenario.bytes is empty"},
        Bad{"Both", "bytes = \"8M\"\nratio = 1\n", "10:9", "both \"bytes\" and \"ratio\""},
        Bad{"BothBytes", "bytes_per_rank = \"8M\"\nbytes = \"8M\"\n", "9:18",
            "both \"bytes\" and \"bytes_per_rank\""},
        Bad{"PerRankAndRatio", "bytes_per_rank = \"8M\"\nratio = 1\n", "10:9",
            "both \"bytes_per_rank\" and \"ratio\""},
        Bad{"None", "", "4:1", "none of bytes, bytes_per_rank, ratio"},
        Bad{"PerRankZero", "bytes_per_rank = \"0\"\n", "9:18", "scenario.bytes_per_rank is zero"},
        Bad{"PerRankUnit", "bytes_per_rank = \"8Q\"\n", "9:18", "\"8Q\" is not a byte count"},
        Bad{"PerRankNumber", "bytes_per_rank = 8\n", "9:18",
            "scenario.bytes_per_rank is not a string"},
        Bad{"RatioZero", "ratio = 0\n", "9:9", "scenario.ratio is 0"},
        Bad{"RatioNegative", "ratio = -0.5\n", "9:9", "scenario.ratio is -0.5"},
        Bad{"RatioInfinite", "ratio = inf\n", "9:9", "scenario.ratio is inf"},
        Bad{"RatioNotANumber", "ratio = nan\n", "9:9", "scenario.ratio is nan"},
        Bad{"UnknownType", "ratio = 1\ntype = \"int4\"\n", "10:8",
            "scenario.type: GEMM type: 'int4' is not known; expected one of bf16, fp16, fp8, fp32"},
        Bad{"TypeNumber", "ratio = 1\ntype = 8\n", "10:8", "scenario.type is not a string"},
        Bad{"RatioText", "ratio = \"1\"\n", "9:9", "scenario.ratio is not a number"}),
    title_of);

class BadScenario : public testing::TestWithParam<Bad> {};

/// What follows `kHead`.
TEST_P(BadScenario, IsRefusedWithItsPlace) {
  expect_refused(GetParam(), std::string(kHead) + GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    ParseSuite, BadScenario,
    testing::Values(
        Bad{"None", "", "1:1", "the suite has no \"scenario\""},
        Bad{"EmptyList", "scenario = []\n", "4:12", "no scenarios"},
        Bad{"OneTable", "[scenario]\nname = \"a\"\n", "4:1", "not a list of tables"},
        Bad{"NotATable", "scenario = [1]\n", "4:13", "scenario is not a table"},
        Bad{"NoName", "[[scenario]]\n", "4:1", "scenario has no \"name\""},
        Bad{"NameWithSpace", "[[scenario]]\nname = \"a b\"\n", "5:8", "scenario.name is \"a b\""},
        Bad{"NoGemm", "[[scenario]]\nname = \"a\"\n", "4:1", "scenario has no \"gemm\""},
        Bad{"GemmOfTwo", "[[scenario]]\nname = \"a\"\ngemm = \"1x2\"\n", "6:8",
            "'1x2' is not MxNxK"},
        Bad{"GemmZero", "[[scenario]]\nname = \"a\"\ngemm = \"1x0x2\"\n", "6:8",
            "'1x0x2' is not MxNxK"},
        Bad{"GemmTooLarge", "[[scenario]]\nname = \"a\"\ngemm = \"1x1x2147483648\"\n", "6:8",
            "'1x1x2147483648' is not MxNxK"},
        Bad{"NoSource", "[[scenario]]\nname = \"a\"\ngemm = \"1x1x1\"\n", "4:1",
            "scenario has no \"source\""}),
    title_of);

class BadCollectives : public testing::TestWithParam<Bad> {};

/// The value of `collectives`, which starts on line 9, column 15.
TEST_P(BadCollectives, IsRefusedWithItsPlace) {
  const std::string text = std::string(kHead) +
                           "[[scenario]]\nname = \"a\"\ngemm = \"1x1x1\"\nsource = \"b\"\n"
                           "ratio = 1\ncollectives = ";
  expect_refused(GetParam(), text + GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    ParseSuite, BadCollectives,
    testing::Values(Bad{"Unknown", "[\"all_gather\", \"gossip\"]", "9:30", "'gossip' is not known"},
                    Bad{"Empty", "[]", "9:15", "scenario.collectives is not a list"},
                    Bad{"Text", "\"all_gather\"", "9:15", "scenario.collectives is not a list"},
                    Bad{"Number", "[1]", "9:16", "scenario.collectives is not a string"},
                    Bad{"Twice", "[\"all_gather\", \"all_gather\"]", "9:30",
                        "names all_gather twice"}),
    title_of);

class BadFile : public testing::TestWithParam<Bad> {};

TEST_P(BadFile, IsRefusedWithItsPlace) { expect_refused(GetParam(), GetParam().text); }

INSTANTIATE_TEST_SUITE_P(
    ParseSuite, BadFile,
    testing::Values(
        Bad{"Malformed", "schema = \"conccl.suite/1\"\nname = \n", "2:8", "expected TOML"},
        Bad{"KeyTwice", "name = \"a\"\nname = \"b\"\n", "2:8", "cannot redefine"},
        Bad{"UnknownField", "schema = \"conccl.suite/1\"\ncolour = 1\n", "2:1",
            "the suite has no field \"colour\""},
        Bad{"Empty", "", "1:1", "the suite has no \"schema\""},
        Bad{"OtherSchema", "schema = \"conccl.suite/2\"\n", "1:10", "schema is \"conccl.suite/2\""},
        Bad{"NoName", "schema = \"conccl.suite/1\"\n", "1:1", "the suite has no \"name\""},
        Bad{"NoType", "schema = \"conccl.suite/1\"\nname = \"a\"\n", "1:1",
            "the suite has no \"type\""},
        Bad{"UnknownType", "schema = \"conccl.suite/1\"\nname = \"a\"\ntype = \"int4\"\n", "3:8",
            "type: GEMM type: 'int4' is not known"}),
    title_of);

TEST(ParseSuite, RefusesANameUsedTwice) {
  const std::string twice = std::string(kScenario) + "ratio = 1\n" + kScenario + "ratio = 2\n";
  EXPECT_THAT(input_error([&] { (void)with(twice); }),
              AllOf(StartsWith("small.toml:11:8: "),
                    HasSubstr("scenario.name is \"a\", which an earlier scenario has")));
}

TEST(SuiteHash, IgnoresCommentsOrderOfKeysAndSources) {
  const Suite suite = with_size("bytes = \"8M\"\n");
  const Suite same = parse_suite(R"(# the same
type = "bf16"
name = "other"
schema = "conccl.suite/1"
[[scenario]]
bytes = "8192K"
collectives = ["all_gather"]
gemm = "128x256x512"
name = "a"
source = "elsewhere"
)",
                                 "same.toml");
  EXPECT_EQ(suite.hash, same.hash);
}

TEST(SuiteHash, IsFnv1aOfTheContent) {
  // Of "conccl.suite/1 bf16\na 128x256x512 all_gather bytes 8388608\n".
  EXPECT_EQ(with_size("bytes = \"8M\"\n").hash, "41c707e371b1ab94");
}

TEST(SuiteHash, IsAsOldAsTheSuitesWhereAScenarioNamesTheirType) {
  EXPECT_EQ(with_size("bytes = \"8M\"\ntype = \"bf16\"\n").hash, "41c707e371b1ab94");
  EXPECT_NE(with_size("bytes = \"8M\"\ntype = \"fp8\"\n").hash, "41c707e371b1ab94");
  EXPECT_NE(with_size("bytes = \"8M\"\ntype = \"fp8\"\n").hash,
            with_size("bytes = \"8M\"\ntype = \"fp16\"\n").hash);
}

TEST(SuiteHash, ChangesWithTheContent) {
  const std::string hash = with_size("ratio = 1\n").hash;
  EXPECT_EQ(with_size("ratio = 1.0\n").hash, hash);
  EXPECT_NE(with_size("ratio = 1.0000001\n").hash, hash);
  EXPECT_NE(with_size("bytes = \"1\"\n").hash, hash);
  EXPECT_NE(with_size("bytes_per_rank = \"1\"\n").hash, with_size("bytes = \"1\"\n").hash);
  EXPECT_NE(with_size("bytes_per_rank = \"1\"\n").hash, with_size("bytes_per_rank = \"2\"\n").hash);
  EXPECT_NE(parse_suite("schema = \"conccl.suite/1\"\nname = \"small\"\ntype = \"fp16\"\n" +
                            std::string(kScenario) + "ratio = 1\n",
                        "small.toml")
                .hash,
            hash);
}

}  // namespace
}  // namespace conccl::c3
