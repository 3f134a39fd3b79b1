// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Ranks that do not come, aborts, communicators that end while work is queued.

#include <future>
#include <thread>

#include "tests/comm/support.hpp"

namespace conccl::test {
namespace {

using plan::Collective;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::chrono::milliseconds kShort = 150ms;

Outcomes call_all_but(Exchange& exchange, int ranks, int absent) {
  return on_each_rank(ranks, [&](int rank) {
    if (rank != absent) exchange.call(rank);
  });
}

TEST(Failure, OrdinaryCallNamesTheRankThatNeverCalls) {
  World world(3, World::with_deadline(kShort));
  Exchange exchange(world, {Collective::all_gather, 1000}, 1);
  const auto outcomes = call_all_but(exchange, 3, 1);
  const auto text = AllOf(HasSubstr("rank 1 did not make call 1 (all_gather) within 150 ms"));
  EXPECT_THAT(outcomes[0], text);
  EXPECT_THAT(outcomes[2], text);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_THAT(world.comm(rank).async_error().value_or(""), text);
  }
  EXPECT_THAT(on_each_rank(3, [&](int rank) { exchange.call(rank); }), Each(text)) << "later calls";
  world.synchronize();
}

TEST(Failure, WindowCallIsReleasedByTheWatchdog) {
  World world(3, World::with_deadline(kShort));
  Trial trial{Collective::all_to_all, 1000};
  trial.windowed = true;
  Exchange exchange(world, trial, 1);
  EXPECT_THAT(call_all_but(exchange, 3, 2), Each(IsEmpty()));  // nothing waits on the host
  world.synchronize();
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_THAT(world.comm(rank).async_error().value_or(""),
                HasSubstr("rank 2 did not make call 1 (all_to_all) within 150 ms"));
  }
  EXPECT_THAT(on_each_rank(3, [&](int rank) { exchange.call(rank); }), Each(HasSubstr("rank 2")));
}

TEST(Failure, EveryMissingRankIsNamed) {
  World world(4, World::with_deadline(kShort));
  Exchange exchange(world, {Collective::all_gather, 10}, 1);
  const auto outcomes = on_each_rank(4, [&](int rank) {
    if (rank == 2) exchange.call(rank);
  });
  EXPECT_THAT(outcomes[2], HasSubstr("ranks 0, 1, 3 did not make call 1"));
}

TEST(Failure, RegistrationNamesTheRankThatNeverCalls) {
  World world(2, World::with_deadline(kShort));
  const auto memory = world.device(0).allocate(100);
  const auto outcomes = on_each_rank(
      1, [&](int) { (void)world.comm(0).register_window(memory.data(), memory.bytes()); });
  EXPECT_THAT(outcomes[0], HasSubstr("rank 1 did not make call 1 (register_window)"));
}

TEST(Failure, OneThreadForAllRanksIsToldToGroup) {
  World world(2, World::with_deadline(kShort));
  Exchange exchange(world, {Collective::all_gather, 100}, 1);
  const auto outcomes = on_each_rank(1, [&](int) {
    exchange.call(0);
    exchange.call(1);
  });
  EXPECT_THAT(outcomes[0], AllOf(HasSubstr("rank 1 did not make call 1"), HasSubstr("must group")));
}

TEST(Failure, ACollectiveThatDoesNotFinishIsNamed) {
  World world(2, World::with_deadline(kShort));
  const auto hold = world.device(1).make_flags(1);
  Exchange exchange(world, {Collective::all_gather, 100}, 1);
  world.stream(1).wait({hold.get(), 0}, 1);
  exchange.call_all();
  ASSERT_TRUE(world.stream(0).synchronize(kPatience));
  EXPECT_THAT(world.comm(0).async_error().value_or(""), HasSubstr("call 1 did not finish on rank"));
  hold->raise(0, 1);
  world.synchronize();
}

TEST(Failure, AbortReleasesQueuedWaits) {
  World world(2);
  Trial trial{Collective::all_gather, 1000};
  trial.windowed = true;
  Exchange exchange(world, trial, 1);
  exchange.call(0);
  std::jthread([&world] { world.comm(1).abort(); }).join();
  world.synchronize();
  EXPECT_THAT(world.comm(0).async_error().value_or(""), HasSubstr("aborted by rank 1"));
}

TEST(Failure, AbortReleasesWaitsOnTheHost) {
  World world(3);
  Exchange exchange(world, {Collective::all_gather, 1000}, 1);
  const auto outcomes = on_each_rank(3, [&](int rank) {
    if (rank == 2) {
      world.comm(2).abort();
    } else {
      exchange.call(rank);
    }
  });
  EXPECT_THAT(outcomes[0], HasSubstr("aborted by rank 2"));
  EXPECT_THAT(outcomes[1], HasSubstr("aborted by rank 2"));
}

TEST(Failure, TheFirstReasonStays) {
  World world(2);
  world.comm(0).abort();
  world.comm(1).abort();
  EXPECT_THAT(world.comm(1).async_error().value_or(""), HasSubstr("aborted by rank 0"));
}

TEST(Failure, AnotherCommunicatorIsUnharmed) {
  World world(2);
  auto other = world.more_communicators(World::patient());
  world.comm(0).abort();
  Exchange exchange(world, other, {Collective::all_to_all, 1000}, 3);
  exchange.call_all();
  world.synchronize();
  EXPECT_TRUE(exchange.right());
  EXPECT_EQ(other[0].async_error(), std::nullopt);
}

TEST(Failure, DestructionWaitsForWorkInFlight) {
  World world(3);
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    exchanges.push_back(
        std::make_unique<Exchange>(world, Trial{Collective::all_gather, 300'000}, seed));
  }
  for (const auto& exchange : exchanges) exchange->call_all();
  world.comms.clear();
  world.synchronize();
  for (const auto& exchange : exchanges) EXPECT_TRUE(exchange->right());
}

TEST(Failure, DestructionDoesNotWaitForARankThatNeverComes) {
  World world(2, World::with_deadline(kShort));
  Trial trial{Collective::all_gather, 1000};
  trial.windowed = true;
  Exchange exchange(world, trial, 1);
  exchange.call(0);
  world.comms.clear();
  world.synchronize();
}

TEST(Failure, DestructionAfterAFailedCallIsPrompt) {
  World world(2);
  world.comm(0).abort();
  Exchange exchange(world, {Collective::all_gather, 1000}, 1);
  EXPECT_THAT(on_each_rank(2, [&](int rank) { exchange.call(rank); }), Each(Not(IsEmpty())));
  const auto start = std::chrono::steady_clock::now();
  world.comms.clear();
  EXPECT_LT(std::chrono::steady_clock::now() - start, kPatience / 2);
}

TEST(Failure, AStreamThatIsStuckOutlivesItsCommunicator) {
#ifdef CONCCL_ADDRESS_SANITIZER
  GTEST_SKIP() << "what the stream still refers to is left in place on purpose: a leak";
#endif
  World world(2, World::with_deadline(kShort));
  const auto hold = world.device(0).make_flags(1);
  Exchange exchange(world, {Collective::all_gather, 1000}, 1);
  world.stream(0).wait({hold.get(), 0}, 1);
  exchange.call_all();
  world.comms.clear();
  hold->raise(0, 1);
  world.synchronize();
}

}  // namespace
}  // namespace conccl::test
