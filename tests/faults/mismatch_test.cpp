// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Ranks in different processes make calls that do not belong together: all print both sides.

#include <fmt/format.h>

#include "tests/faults/crew.hpp"

namespace conccl::test {
namespace {

using testing::Each;

struct Difference {
  const char* name;
  const char* most;               ///< what ranks 0, 1 and 3 are told
  const char* one;                ///< what rank 2 is told
  std::vector<std::string> both;  ///< in every rank's error
  std::chrono::milliseconds deadline = 20s;
  std::chrono::milliseconds within = 5s;
};

// Calls and what is said on the host are not compared, so these are noticed at the deadline, by
// either side: who says it names the ranks of the other.
constexpr std::chrono::milliseconds kShort = 3s;

std::vector<Difference> differences() {
  return {
      {"Operations",
       "call all_gather {} 100 int32 1",
       "call all_to_all {} 100 int32 1",
       {"operation differs", "rank 2 has all_to_all", "has all_gather"}},
      {"Types",
       "call all_gather {} 100 int32 1",
       "call all_gather {} 100 float32 1",
       {"type of all_gather differs", "rank 2 has float32", "has int32"}},
      {"Counts",
       "call all_to_all {} 100 int32 1",
       "call all_to_all {} 101 int32 1",
       {"count of all_to_all differs", "rank 2 has 101", "has 100"}},
      {"ExchangeAndRegister",
       "exchange hello",
       "windows 4096",
       {"operation differs", "rank 2 has register_window", "has exchange"}},
      {"FlagsAndExchange",
       "flags 2",
       "exchange hello",
       {"operation differs", "rank 2 has exchange", "has shared_flags"}},
      {"NumbersOfFlags",
       "flags 2",
       "flags 3",
       {"count of shared_flags differs", "rank 2 has 3", "has 2"}},
      {"SizesOfWindows",
       "windows 4096",
       "windows 8192",
       {"count of register_window differs", "rank 2 has 8192", "has 4096"}},
      {"CallAndExchange",
       "exchange hello",
       "call all_gather {} 100 int32 1",
       {"did not make call", "last made call", "(exchange)", "(all_gather)"},
       kShort,
       kShort + 5s},
      {"ExchangeAndCall",
       "call all_gather {} 100 int32 1",
       "exchange hello",
       {"did not make call", "last made call", "(exchange)", "(all_gather)"},
       kShort,
       kShort + 5s},
  };
}

struct Case {
  Difference difference;
  const char* home = "ordinary";
};

/// Those that speak of buffers once in each home.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& difference : differences()) {
    all.push_back({difference, "ordinary"});
    const bool has_home =
        (std::string(difference.most) + difference.one).find("{}") != std::string::npos;
    if (has_home) all.push_back({difference, "window"});
  }
  return all;
}

class Mismatch : public testing::TestWithParam<Case> {};

TEST_P(Mismatch, PrintsBothSidesOnEveryRank) {
  const auto& [difference, home] = GetParam();
  Crew crew(4);
  crew.join(difference.deadline);
  crew.all_ok("windows 2097152");
  const auto at = Clock::now();
  crew.tell_all_but(2, fmt::format(fmt::runtime(difference.most), home));
  crew[2].tell(fmt::format(fmt::runtime(difference.one), home));
  const auto heard = answers(crew, {-1, kPatience});
  EXPECT_THAT(heard, Each(error_with(difference.both)));
  EXPECT_LT(slowest(heard, at), difference.within);
  crew.finish();
}

INSTANTIATE_TEST_SUITE_P(Calls, Mismatch, testing::ValuesIn(cases()), [](const auto& each) {
  return fmt::format("{}{}", each.param.difference.name,
                     std::string(each.param.home) == "window" ? "InWindows" : "");
});

TEST(MismatchedOrder, PrintsBothSidesOnEveryRank) {
  for (const char* const home : {"ordinary", "window"}) {
    Crew crew(4);
    crew.join(20s);
    crew.all_ok("windows 2097152");
    const auto gather = fmt::format("enqueue all_gather {} 100 int32 1", home);
    const auto exchange = fmt::format("enqueue all_to_all {} 100 int32 1", home);
    crew.tell_all_but(1, gather);
    crew.tell_all_but(1, exchange);
    crew[1].tell(exchange);
    crew[1].tell(gather);
    crew.tell_all("loop 1 1");
    const auto heard = first_errors(crew, 3, {-1, kPatience});
    EXPECT_THAT(
        heard,
        Each(error_with({"call 1: operation differs", "rank 1 has all_to_all", "has all_gather"})));
    crew.finish();
  }
}

TEST(MismatchedHomes, PrintBothSidesOnEveryRank) {
  Crew crew(4);
  crew.join(20s);
  crew.all_ok("windows 2097152");
  crew.tell_all_but(3, "call all_gather window 100 int32 1");
  crew[3].tell("call all_gather ordinary 100 int32 1");
  const auto heard = answers(crew, {-1, kPatience});
  EXPECT_THAT(heard, Each(error_with({"recv of all_gather differs", "rank 3 has an ordinary buffer",
                                      "has window 2 offset 0"})));
  crew.finish();
}

}  // namespace
}  // namespace conccl::test
