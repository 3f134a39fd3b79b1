// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// A rank is stopped: the others name it at the deadline, and it learns of that when it goes on.

#include <fmt/format.h>

#include <csignal>

#include "tests/faults/crew.hpp"

namespace conccl::test {
namespace {

using testing::Each;

constexpr int kRanks = 4;
constexpr int kVictim = 2;
constexpr std::chrono::milliseconds kDeadline = 4s;
// Who is silent is said only by a rank whose own watchdog was not late itself: by a quarter.
constexpr std::chrono::milliseconds kLongDeadline = 8s;
// The watchdog looks eight times per deadline; the rest is for a busy machine.
constexpr std::chrono::milliseconds kSlack = 4s;

std::string process_of(Crew& crew, int rank) {
  return fmt::format("rank {} (process {})", rank, crew[rank].pid());
}

/// Reads the survivors' errors, then lets the victim go on and reads its own.
struct Expected {
  std::string culprit;
  std::chrono::milliseconds deadline = kDeadline;
};
void expect_named(Crew& crew, Clock::time_point stopped_at, const Expected& expected) {
  const auto& [culprit, deadline] = expected;
  const auto heard = first_errors(crew, 3, {kVictim, 3 * deadline + kSlack});
  EXPECT_THAT(heard, Each(error_with({culprit})));
  const auto time = slowest(heard, stopped_at);
  EXPECT_LT(time, deadline + kSlack);
  testing::Test::RecordProperty("slowest_survivor_ms", static_cast<int>(time.count()));
  const auto continued_at = Clock::now();
  crew[kVictim].signal(SIGCONT);
  const auto own = crew[kVictim].answer(kPatience);
  EXPECT_THAT(own, error_with({culprit}));
  EXPECT_LT(own.at - continued_at, kSlack);
}

TEST(StoppedRank, IsNamedWhileOthersCall) {
  Crew crew(kRanks);
  crew.join(kLongDeadline);
  crew.all_ok("windows 2097152");
  crew.tell_all("loop 1 1000000000");
  for (int rank = 0; rank < kRanks; ++rank) ASSERT_TRUE(crew[rank].said("looping", kPatience));
  crew[kVictim].signal(SIGSTOP);
  expect_named(crew, Clock::now(),
               {process_of(crew, kVictim) + " has given no sign of life for", kLongDeadline});
  crew.finish();
}

TEST(StoppedRank, IsNamedByAWindowCallAlone) {
  Crew crew(kRanks);
  crew.join(kDeadline);
  crew.all_ok("windows 2097152");
  crew[kVictim].signal(SIGSTOP);
  crew.tell_all("call all_to_all window 1000 int32 1");
  expect_named(crew, Clock::now(), {"rank 2 did not make call 1 (all_to_all)"});
  crew.finish();
}

TEST(StoppedRank, IsNamedInAnExchange) {
  Crew crew(kRanks);
  crew.join(kDeadline);
  crew[kVictim].signal(SIGSTOP);
  crew.tell_all("exchange hello");
  expect_named(crew, Clock::now(), {"rank 2 did not make call 1 (exchange)"});
  crew.finish();
}

TEST(StoppedRank, IsNamedWhileJoining) {
  Crew crew(kRanks);
  crew[kVictim].signal(SIGSTOP);
  const auto at = Clock::now();
  crew.tell_to_join(new_id(), kDeadline);
  const auto heard = answers(crew, {kVictim, kDeadline + kSlack});
  EXPECT_THAT(heard, Each(error_with({"rank 2 of 4 did not come within 4000 ms"})));
  EXPECT_LT(slowest(heard, at), kDeadline + kSlack);
  crew[kVictim].signal(SIGCONT);
  EXPECT_THAT(crew[kVictim].answer(kPatience), error_with({"rank 2 of 4 did not come within"}));
  crew.finish();
}

// Its links fill up with announcements that it does not read.
TEST(StoppedRank, DoesNotHoldUpAnnouncements) {
  Crew crew(kRanks);
  crew.join(kDeadline);
  crew.all_ok("announce 60");
  crew[kVictim].signal(SIGSTOP);
  crew.tell_all("announce 120");
  const auto at = Clock::now();
  const auto heard = answers(crew, {kVictim, 3 * kDeadline + kSlack});
  EXPECT_THAT(heard, Each(error_with({"rank 2"})));
  EXPECT_LT(slowest(heard, at), 2 * kDeadline + kSlack);
  crew[kVictim].signal(SIGCONT);
  EXPECT_THAT(crew[kVictim].answer(kPatience), error_with({"rank 2"}));
  crew.finish();
}

TEST(StoppedRank, ThatGoesOnInTimeDoesNoHarm) {
  Crew crew(kRanks);
  crew.join(kPatience);
  crew.all_ok("windows 2097152");
  crew.tell_all("loop 6 3000");
  for (int rank = 0; rank < kRanks; ++rank) ASSERT_TRUE(crew[rank].said("looping", kPatience));
  for (int i = 0; i < 5; ++i) {
    crew[i % kRanks].signal(SIGSTOP);
    ::usleep(20'000);
    crew[i % kRanks].signal(SIGCONT);
  }
  // Or the stops would have come too late to matter.
  for (int rank = 0; rank < kRanks; ++rank) {
    ASSERT_THAT(crew[rank].answer(0ms),
                testing::Field("kind", &Answer::kind, Answer::Kind::silence));
  }
  crew.all_ok();
  crew.finish();
}

}  // namespace
}  // namespace conccl::test
