// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// A rank of eight is killed at a random moment: every survivor names it, nothing is left behind.

#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

#include "conccl/core/units.hpp"
#include "tests/faults/crew.hpp"
#include "tests/faults/leftovers.hpp"

namespace conccl::test {
namespace {

using testing::AnyOf;
using testing::Each;
using testing::Field;

constexpr int kRanks = 8;
// Only who was killed before it came is missed at the deadline; everything else shows at once.
constexpr std::chrono::milliseconds kDeadline = 20s;
constexpr std::chrono::milliseconds kAtOnce = 5s;

/// What the ranks are doing when one is killed, and within how long after they began.
struct Moment {
  const char* name;
  std::vector<std::string> script;  ///< behind the join
  int done_before;                  ///< commands, the join among them, that have ended by then
  std::chrono::microseconds within;
  std::chrono::milliseconds limit;  ///< for the slowest survivor
};

const std::vector<std::string> kForever{"windows 2097152", "loop 1 1000000000"};

std::vector<Moment> moments() {
  return {
      {"Joining", kForever, 0, 25ms, kDeadline + 5s},
      {"Registering", {"windows 2097152", "register-again 1000000000"}, 1, 60ms, kAtOnce},
      {"Calling", kForever, 2, 400ms, kAtOnce},
      {"Between", {"windows 2097152", "loop 2 20"}, 3, 5ms, kAtOnce},
  };
}

std::uint64_t seed() {
  const char* const given = std::getenv("CONCCL_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
}

/// Who is killed, and how long after the moment began.
struct Blow {
  int victim = 0;
  std::chrono::microseconds pause{};
};

Blow draw(const char* moment, std::chrono::microseconds within) {
  const auto number = seed();
  std::mt19937_64 random(number);
  Blow blow;
  blow.victim = static_cast<int>(random() % kRanks);
  blow.pause = std::chrono::microseconds(random() % static_cast<std::uint64_t>(within.count() + 1));
  std::printf("%s: CONCCL_TEST_SEED=%llu kills rank %d after %lld us\n", moment,
              static_cast<unsigned long long>(number), blow.victim,
              static_cast<long long>(blow.pause.count()));
  return blow;
}

/// Returns when it did so.
Clock::time_point kill_after_pause(Crew& crew, const Blow& blow) {
  std::this_thread::sleep_for(blow.pause);
  const auto killed_at = Clock::now();
  crew[blow.victim].signal(SIGKILL);
  EXPECT_EQ(crew[blow.victim].finish(kPatience), 128 + SIGKILL);
  return killed_at;
}

/// By name; or, when it was killed before it came, as one that did not come.
auto names(int rank, pid_t pid) {
  return testing::Matcher<const Answer&>(
      AnyOf(error_with({fmt::format("rank {} (process {})", rank, pid)}),
            error_with({fmt::format("rank {} of {} did not come", rank, kRanks)})));
}

void expect_soon(const char* moment, std::chrono::milliseconds time,
                 std::chrono::milliseconds limit) {
  EXPECT_LT(time, limit);
  testing::Test::RecordProperty("slowest_survivor_ms", static_cast<int>(time.count()));
  std::printf("%s: slowest survivor after %lld ms\n", moment, static_cast<long long>(time.count()));
}

/// Of ranks that have joined.
Holdings held_by_joined(const Crew& crew) {
  auto holdings = held_by(crew.pids());
  EXPECT_GE(holdings.memory.size(), crew.ranks.size());
  EXPECT_FALSE(holdings.sockets.empty());
  return holdings;
}

class KilledRank : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  /// Everybody is at the moment; those that answered early have done all before it.
  void bring_to_moment(Crew& crew) {
    crew.tell_to_join(new_id(kDeadline), kDeadline);
    const auto early = static_cast<std::size_t>(std::max(moment_.done_before - 1, 0));
    for (std::size_t i = 0; i < early; ++i) crew.tell_all(moment_.script[i]);
    for (int i = 0; i < moment_.done_before; ++i) crew.all_ok();
    if (moment_.done_before > 0) before_ = held_by_joined(crew);
    for (std::size_t i = early; i < moment_.script.size(); ++i) crew.tell_all(moment_.script[i]);
  }

  const Moment moment_ = moments()[static_cast<std::size_t>(std::get<0>(GetParam()))];
  Holdings before_;  ///< what all held before the moment; nothing while they joined
  Holdings after_;   ///< what the survivors held after it
};

TEST_P(KilledRank, IsNamedByEverySurvivor) {
  const auto blow = draw(moment_.name, moment_.within);
  {
    Crew crew(kRanks);
    const pid_t pid = crew[blow.victim].pid();
    bring_to_moment(crew);
    const auto killed_at = kill_after_pause(crew, blow);
    crew.tell_all_but(blow.victim, "loop 4 1000000000");  // who has nothing to do makes a call

    const int commands = static_cast<int>(moment_.script.size()) + 2 - moment_.done_before;
    const auto heard = first_errors(crew, commands, {blow.victim, 2 * kDeadline});
    EXPECT_THAT(heard, Each(names(blow.victim, pid)));
    expect_soon(moment_.name, slowest(heard, killed_at), moment_.limit);
    crew.ranks.erase(crew.ranks.begin() + blow.victim);
    after_ = held_by(crew.pids());
    EXPECT_FALSE(after_.memory.empty());
    crew.finish();
  }
  EXPECT_TRUE(nobody_holds(before_));
  EXPECT_TRUE(nobody_holds(after_));
}

class KilledWhileDestroying : public testing::TestWithParam<int> {};

// Who had its part of the last call may leave without ever hearing of it.
TEST_P(KilledWhileDestroying, HoldsNobodyUp) {
  const auto blow = draw("Destroying", 8ms);
  Holdings holdings;
  {
    Crew crew(kRanks);
    const pid_t pid = crew[blow.victim].pid();
    crew.join(kDeadline);
    crew.all_ok("windows 2097152");
    crew.all_ok("loop 3 10");
    holdings = held_by_joined(crew);
    crew.tell_all("call all_gather window 2000 int32 1");
    crew.tell_all("leave");
    const auto killed_at = kill_after_pause(crew, blow);

    const auto called = answers(crew, {blow.victim, 2 * kDeadline});
    const auto left = fmt::format("rank {} left after call", blow.victim);
    EXPECT_THAT(called, Each(AnyOf(Field("kind", &Answer::kind, Answer::Kind::ok),
                                   names(blow.victim, pid), error_with({left}))));
    const auto gone = answers(crew, {blow.victim, 2 * kDeadline});
    EXPECT_THAT(gone, Each(Field("kind", &Answer::kind, Answer::Kind::ok)));
    expect_soon("Destroying", slowest(gone, killed_at), kAtOnce);
    crew.ranks.erase(crew.ranks.begin() + blow.victim);
    crew.finish();
  }
  EXPECT_TRUE(nobody_holds(holdings));
}

TEST(KilledRanks, GiveTheirMemoryBack) {
  constexpr Bytes kEach = 32 * kMiB;
  Crew crew(kRanks);
  crew.join(kDeadline);
  crew.all_ok(fmt::format("allocate {} 1", kEach));
  crew.all_ok("windows 2097152");
  crew.all_ok("loop 5 20");
  const auto holdings = held_by_joined(crew);
  EXPECT_FALSE(nobody_holds(holdings, 0s));
  for (int rank = 0; rank < kRanks; ++rank) crew[rank].signal(SIGKILL);
  for (int rank = 0; rank < kRanks; ++rank) {
    EXPECT_EQ(crew[rank].finish(kPatience), 128 + SIGKILL);
  }
  EXPECT_TRUE(nobody_holds(holdings));
}

std::string test_name(const testing::TestParamInfo<std::tuple<int, int>>& info) {
  return fmt::format("{}{}", moments()[static_cast<std::size_t>(std::get<0>(info.param))].name,
                     std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(AtRandom, KilledRank,
                         testing::Combine(testing::Range(0, 4), testing::Range(0, 5)), test_name);
INSTANTIATE_TEST_SUITE_P(AtRandom, KilledWhileDestroying, testing::Range(0, 5));

}  // namespace
}  // namespace conccl::test
