// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Ranks that leave early, exit, end in any order, are aborted or destroyed with work in flight.

#include <fmt/format.h>

#include <csignal>

#include "tests/faults/crew.hpp"

namespace conccl::test {
namespace {

using testing::AnyOf;
using testing::Each;

constexpr int kRanks = 4;
constexpr std::chrono::milliseconds kDeadline = 20s;
// Far below the deadline: these faults are noticed when they happen.
constexpr std::chrono::milliseconds kAtOnce = 5s;

class Leaving : public testing::TestWithParam<const char*> {
 protected:
  std::string call() const { return fmt::format("call all_gather {} 1000 int32 1", GetParam()); }
  void join() {
    crew.join(kDeadline);
    crew.all_ok("windows 2097152");
    for (int i = 0; i < 3; ++i) crew.all_ok(call());
  }
  /// The others, told of `command`, all say so, soon.
  void expect_others(int absent, const std::string& command,
                     const std::vector<std::string>& texts) {
    const auto at = Clock::now();
    crew.tell_all_but(absent, command);
    const auto heard = answers(crew, {absent, kDeadline});
    EXPECT_THAT(heard, Each(error_with(texts)));
    EXPECT_LT(slowest(heard, at), kAtOnce);
  }

  Crew crew{kRanks};
};

TEST_P(Leaving, EarlyIsNamedWithTheLastCall) {
  join();
  crew[1].tell("leave");
  EXPECT_TRUE(crew[1].answer(kPatience).ok());
  expect_others(1, call(), {"rank 1 left after call 3; rank", "made a call that needs it"});
  crew.finish();
}

TEST_P(Leaving, WhileOthersWaitIsNamed) {
  join();
  const auto at = Clock::now();
  crew.tell_all_but(1, call());
  ::usleep(100'000);
  crew[1].tell("leave");
  const auto heard = answers(crew, {1, kDeadline});
  EXPECT_THAT(heard, Each(error_with({"rank 1 left after call 3"})));
  EXPECT_LT(slowest(heard, at), kAtOnce);
  EXPECT_TRUE(crew[1].answer(kPatience).ok());
  crew.finish();
}

TEST_P(Leaving, ByExitIsNamed) {
  join();
  const auto process = fmt::format("rank 3 (process {}) ended without leaving", crew[3].pid());
  crew[3].tell("exit");
  expect_others(3, call(), {process});
  crew.finish();
}

TEST_P(Leaving, InAnyOrderIsNoError) {
  join();
  for (const int rank : {2, 0, 3}) {
    crew[rank].tell("leave");
    EXPECT_TRUE(crew[rank].answer(kPatience).ok());
    EXPECT_EQ(crew[rank].finish(kPatience), 0);
  }
  crew[1].tell("facts");
  EXPECT_TRUE(crew[1].answer(kPatience).ok());
  crew[1].tell("leave");
  EXPECT_TRUE(crew[1].answer(kPatience).ok());
}

TEST_P(Leaving, WithWorkInFlightWaitsForIt) {
  join();
  crew.tell_all(fmt::format("enqueue all_to_all {} 10000 int32 40", GetParam()));
  crew.all_ok("leave");
  crew.all_ok();
  crew.finish();
}

TEST_P(Leaving, AfterSurvivingRanksMeetAgain) {
  join();
  crew[2].signal(SIGKILL);
  EXPECT_EQ(crew[2].finish(kPatience), 128 + SIGKILL);
  expect_others(2, call(), {"rank 2 (process"});
  crew.ranks.erase(crew.ranks.begin() + 2);
  crew.all_ok("leave");
  crew.join(kPatience);
  crew.all_ok("windows 2097152");
  crew.all_ok("loop 7 50");
  crew.all_ok("leave");
  crew.finish();
}

INSTANTIATE_TEST_SUITE_P(Buffers, Leaving, testing::Values("ordinary", "window"),
                         [](const auto& each) { return std::string(each.param); });

TEST(DestroyedRank, WhosePeersNeverComeGivesUpAtTheDeadline) {
  constexpr std::chrono::milliseconds kShort = 3s;
  Crew crew(2);
  crew.join(kShort);
  crew.all_ok("windows 2097152");
  crew[0].tell("enqueue all_gather window 1000 int32 1");
  EXPECT_TRUE(crew[0].answer(kPatience).ok());
  const auto at = Clock::now();
  crew[0].tell("leave");
  EXPECT_TRUE(crew[0].answer(kPatience).ok());
  EXPECT_LT(Clock::now() - at, kShort + kAtOnce);
  crew[1].tell("exchange hello");
  EXPECT_THAT(crew[1].answer(kPatience),
              AnyOf(error_with({"rank 0 was destroyed with calls in flight"}),
                    error_with({"rank 1 did not make call 1 (all_gather) within 3000 ms"})));
  crew.finish();
}

class Abort : public testing::TestWithParam<const char*> {};

TEST_P(Abort, FromAnotherThreadReleasesEverybody) {
  Crew crew(kRanks);
  crew.join(kDeadline);
  crew.all_ok("windows 2097152");
  crew[1].tell("abort 100");
  EXPECT_TRUE(crew[1].answer(kPatience).ok());
  const auto at = Clock::now();
  crew.tell_all_but(3, GetParam());  // which keeps the others waiting
  const auto heard = answers(crew, {3, kDeadline});
  EXPECT_THAT(heard, Each(error_with({"aborted by rank 1: the test wants it"})));
  EXPECT_LT(slowest(heard, at), kAtOnce);
  crew[3].tell(GetParam());
  EXPECT_THAT(crew[3].answer(kPatience), error_with({"aborted by rank 1"}));
  crew.all_ok("leave");
  crew.finish();
}

INSTANTIATE_TEST_SUITE_P(While, Abort,
                         testing::Values("call all_gather ordinary 1000 int32 1",
                                         "call all_to_all window 1000 int32 1", "exchange hello",
                                         "flags 3", "windows 4096"));

}  // namespace
}  // namespace conccl::test
