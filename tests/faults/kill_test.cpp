// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// A rank of eight is killed at a random moment: every survivor names it, nothing is left behind.

#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

#include "tests/faults/crew.hpp"
#include "tests/faults/leftovers.hpp"

namespace conccl::test {
namespace {

using testing::AnyOf;
using testing::Each;
using testing::Field;

constexpr int kRanks = 8;
constexpr std::chrono::milliseconds kDeadline = 10s;

/// What the ranks are doing when one is killed, and within how long after they began.
struct Moment {
  const char* name;
  std::vector<std::string> script;  ///< behind the join
  int done_before = 0;              ///< commands, the join among them, that have ended by then
  std::chrono::microseconds within;
};

const std::vector<std::string> kForever{"windows 2097152", "loop 1 1000000000"};

std::vector<Moment> moments() {
  return {
      {"Joining", kForever, 0, 25ms},
      {"Registering", {"windows 2097152", "register-again 1000000000"}, 1, 60ms},
      {"Calling", kForever, 2, 400ms},
      {"Between", {"windows 2097152", "loop 2 20"}, 3, 5ms},
      {"Destroying",
       {"windows 2097152", "loop 3 10", "enqueue all_gather window 2000 int32 30", "leave"},
       3,
       8ms},
  };
}

std::uint64_t seed() {
  const char* const given = std::getenv("CONCCL_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
}

/// By name; or, when it was killed before it came, as one that did not come.
auto names(int rank, pid_t pid) {
  return testing::Matcher<const Answer&>(
      AnyOf(error_with({fmt::format("rank {} (process {})", rank, pid)}),
            error_with({fmt::format("rank {} of {} did not come", rank, kRanks)})));
}

class KilledRank : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  void draw() {
    moment_ = moments()[static_cast<std::size_t>(std::get<0>(GetParam()))];
    const auto number = seed();
    std::mt19937_64 random(number);
    victim_ = static_cast<int>(random() % kRanks);
    pause_ = std::chrono::microseconds(random() %
                                       static_cast<std::uint64_t>(moment_.within.count() + 1));
    std::printf("%s: CONCCL_TEST_SEED=%llu kills rank %d after %lld us\n", moment_.name,
                static_cast<unsigned long long>(number), victim_,
                static_cast<long long>(pause_.count()));
  }

  /// Everybody is at the moment; those that answered early have done all before it.
  void bring_to_moment(Crew& crew) {
    crew.tell_to_join(new_id(kDeadline), kDeadline);
    const auto early = static_cast<std::size_t>(std::max(moment_.done_before - 1, 0));
    for (std::size_t i = 0; i < early; ++i) crew.tell_all(moment_.script[i]);
    for (int i = 0; i < moment_.done_before; ++i) crew.all_ok();
    for (std::size_t i = early; i < moment_.script.size(); ++i) crew.tell_all(moment_.script[i]);
  }

  Moment moment_;
  int victim_ = 0;
  std::chrono::microseconds pause_{};
};

TEST_P(KilledRank, IsNamedByEverySurvivor) {
  draw();
  const auto files = files_in_dev_shm();
  Holdings holdings;
  {
    Crew crew(kRanks);
    bring_to_moment(crew);
    std::this_thread::sleep_for(pause_);
    const auto killed_at = Clock::now();
    const pid_t pid = crew[victim_].pid();
    crew[victim_].signal(SIGKILL);
    EXPECT_EQ(crew[victim_].finish(kPatience), 128 + SIGKILL);
    crew.tell_all_but(victim_, "loop 4 1000000000");  // who has nothing to do makes a call

    const int commands = static_cast<int>(moment_.script.size()) + 2 - moment_.done_before;
    const auto heard = first_errors(crew, commands, {victim_, 2 * kDeadline});
    // One that left in time has no communicator to call with any more.
    const bool may_end_well = moment_.script.back() == "leave";
    EXPECT_THAT(heard,
                Each(may_end_well ? AnyOf(names(victim_, pid), error_with({"no communicator"}))
                                  : names(victim_, pid)));
    const auto time = slowest(heard, killed_at);
    EXPECT_LT(time, kDeadline + 2s);
    RecordProperty("slowest_survivor_ms", static_cast<int>(time.count()));
    std::printf("%s: slowest survivor after %lld ms\n", moment_.name,
                static_cast<long long>(time.count()));
    crew.ranks.erase(crew.ranks.begin() + victim_);
    holdings = held_by(crew.pids());
    EXPECT_FALSE(holdings.memory.empty());
    crew.finish();
  }
  EXPECT_TRUE(nobody_holds(holdings));
  EXPECT_THAT(files_in_dev_shm(), testing::IsSubsetOf(files));
}

TEST(KilledRanks, GiveTheirMemoryBack) {
  constexpr Bytes kEach = 32 * kMiB;
  const Bytes before = shared_memory();
  Crew crew(kRanks);
  crew.join(kDeadline);
  crew.all_ok(fmt::format("allocate {} 1", kEach));
  crew.all_ok("windows 2097152");
  crew.all_ok("loop 5 20");
  EXPECT_GT(shared_memory(), before + kRanks * kEach / 2);
  for (int rank = 0; rank < kRanks; ++rank) crew[rank].signal(SIGKILL);
  for (int rank = 0; rank < kRanks; ++rank) {
    EXPECT_EQ(crew[rank].finish(kPatience), 128 + SIGKILL);
  }
  const auto until = Clock::now() + 20s;  // other programs have shared memory, too
  while (shared_memory() > before + kRanks * kEach / 2 && Clock::now() < until) {
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_LT(shared_memory(), before + kRanks * kEach / 2);
}

std::string test_name(const testing::TestParamInfo<std::tuple<int, int>>& info) {
  return fmt::format("{}{}", moments()[static_cast<std::size_t>(std::get<0>(info.param))].name,
                     std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(AtRandom, KilledRank,
                         testing::Combine(testing::Range(0, 5), testing::Range(0, 4)), test_name);

}  // namespace
}  // namespace conccl::test
