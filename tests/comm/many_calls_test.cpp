// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// More calls than there are slots for posts: in one group, and by ranks that run ahead.

#include <algorithm>
#include <array>
#include <string>
#include <thread>

#include "comm/area.hpp"
#include "comm/group.hpp"
#include "conccl/core/errors.hpp"
#include "tests/comm/support.hpp"

namespace conccl::test {
namespace {

using plan::Collective;

Trial in_windows(std::uint64_t count) {
  Trial trial{Collective::all_gather, count};
  trial.windowed = true;
  return trial;
}

TEST(ManyCalls, InOneGroupOnOrdinaryBuffers) {
  World world(3);
  Exchange exchange(world, {Collective::all_to_all, 100}, 1);
  comm::Group group;
  for (std::uint64_t i = 0; i < comm::kCallSlots + 2 * comm::kCallsPerPass; ++i) {
    for (int rank = 0; rank < 3; ++rank) exchange.call(rank);
  }
  group.end();
  world.synchronize();
  EXPECT_TRUE(exchange.right());
}

TEST(ManyCalls, RankAfterRankInOneGroup) {
  World world(2);
  Exchange exchange(world, in_windows(100), 2);
  comm::Group group;
  for (int rank = 0; rank < 2; ++rank) {
    for (std::uint64_t i = 0; i < 2 * comm::kCallSlots; ++i) exchange.call(rank);
  }
  group.end();
  world.synchronize();
  EXPECT_TRUE(exchange.right());
}

TEST(ManyCalls, ARankThatRunsAheadWaitsForRoom) {
  World world(2);
  Exchange exchange(world, in_windows(100), 3);
  std::jthread ahead([&exchange] {
    for (std::uint64_t i = 0; i < 3 * comm::kCallSlots; ++i) exchange.call(0);
  });
  for (std::uint64_t i = 0; i < 3 * comm::kCallSlots; ++i) {
    if (i % 100 == 0) std::this_thread::sleep_for(1ms);
    exchange.call(1);
  }
  ahead.join();
  world.synchronize();
  EXPECT_TRUE(exchange.right());
  EXPECT_EQ(world.comm(0).async_error(), std::nullopt);
}

TEST(ManyCalls, ARankTooFarAheadNamesTheOneThatIsBehind) {
  World world(2, World::with_deadline(150ms));
  const auto hold = world.device(0).make_flags(1);
  Exchange exchange(world, in_windows(100), 4);
  const auto outcomes = on_each_rank(1, [&exchange](int) {
    for (std::uint64_t i = 0; i <= comm::kCallSlots; ++i) exchange.call(0);
  });
  EXPECT_THAT(outcomes[0], testing::HasSubstr("rank 1"));
  world.synchronize();
}

TEST(ManyCalls, WindowsBeyondTheSlotsOfTheHost) {
  World world(2);
  const auto first = world.device(0).allocate(4096);
  const auto second = world.device(1).allocate(4096);
  comm::Group group;
  for (std::uint64_t i = 0; i < comm::kHostSlots + 10; ++i) {
    (void)world.comm(0).register_window(first.data(), 4096);
    (void)world.comm(1).register_window(second.data(), 4096);
  }
  group.end();
  EXPECT_EQ(world.comm(0).async_error(), std::nullopt);
}

TEST(HostExchange, EveryRankGetsTheBytesOfAll) {
  constexpr int kRanks = 5;
  constexpr int kRounds = 3 * static_cast<int>(comm::kHostSlots);
  World world(kRanks);
  const auto text = [](int rank, int round) {
    return std::string(static_cast<std::size_t>((rank * 37 + round) % 449),
                       static_cast<char>('a' + rank));
  };
  std::array<int, kRanks> wrong{};
  const auto outcomes = on_each_rank(kRanks, [&](int rank) {
    for (int round = 0; round < kRounds; ++round) {
      const auto mine = text(rank, round);
      const auto all = world.comm(rank).exchange(std::as_bytes(std::span(mine)));
      for (int other = 0; other < kRanks; ++other) {
        const auto expected = text(other, round);
        const auto& found = all[World::at(other)];
        if (!std::ranges::equal(found, std::as_bytes(std::span(expected)))) {
          ++wrong[World::at(rank)];
        }
      }
    }
  });
  EXPECT_THAT(outcomes, testing::Each(testing::IsEmpty()));
  EXPECT_THAT(wrong, testing::Each(0));
}

TEST(HostExchange, TooManyBytesAreRefused) {
  World world(1);
  const std::vector<std::byte> bytes(comm::Communicator::kMaxExchange + 1);
  EXPECT_THROW((void)world.comm(0).exchange(bytes), InputError);
  EXPECT_EQ(world.comm(0).async_error(), std::nullopt);
}

TEST(HostExchange, AnExchangeDoesNotMeetARegistration) {
  World world(2);
  const auto memory = world.device(0).allocate(64);
  const auto outcomes = on_each_rank(2, [&](int rank) {
    if (rank == 0) {
      (void)world.comm(0).register_window(memory.data(), 64);
    } else {
      (void)world.comm(1).exchange({});
    }
  });
  EXPECT_THAT(outcomes,
              testing::Each(testing::AllOf(testing::HasSubstr("operation differs"),
                                           testing::HasSubstr("rank 0 has register_window"),
                                           testing::HasSubstr("rank 1 has exchange"))));
}

TEST(SharedFlags, WhatOneRankRaisesTheOthersSee) {
  constexpr int kRanks = 3;
  World world(kRanks);
  std::array<backend::WaitResult, kRanks> results{};
  const auto outcomes = on_each_rank(kRanks, [&](int rank) {
    const auto flags = world.comm(rank).shared_flags(2);
    const int next = (rank + 1) % kRanks;
    flags[World::at(next)]->raise(1, 7);
    results[World::at(rank)] = flags[World::at(rank)]->wait(1, 7, kPatience);
  });
  EXPECT_THAT(outcomes, testing::Each(testing::IsEmpty()));
  EXPECT_THAT(results, testing::Each(backend::WaitResult::raised));
}

TEST(SharedFlags, AFailureReleasesThem) {
  World world(2);
  std::array<backend::WaitResult, 2> results{};
  const auto outcomes = on_each_rank(2, [&](int rank) {
    const auto flags = world.comm(rank).shared_flags(2);
    flags[World::at(1 - rank)]->raise(0, 1);
    ASSERT_EQ(flags[World::at(rank)]->wait(0, 1, kPatience), backend::WaitResult::raised);
    if (rank == 1) world.comm(1).abort("it is over");
    results[World::at(rank)] = flags[World::at(rank)]->wait(1, 1, kPatience);
  });
  EXPECT_THAT(results, testing::Each(backend::WaitResult::poisoned));
  EXPECT_THAT(world.comm(0).async_error().value_or(""),
              testing::HasSubstr("aborted by rank 1: it is over"));
}

TEST(Leaving, ACallThatNeedsARankThatLeftFailsAtOnce) {
  World world(3);
  Exchange exchange(world, {Collective::all_gather, 100}, 5);
  exchange.call_all();
  world.synchronize();
  world.comms.pop_back();
  const auto start = std::chrono::steady_clock::now();
  const auto outcomes = on_each_rank(2, [&exchange](int rank) { exchange.call(rank); });
  EXPECT_THAT(outcomes, testing::Each(testing::HasSubstr("rank 2 left after call 1")));
  EXPECT_LT(std::chrono::steady_clock::now() - start, kPatience / 2);
}

TEST(Leaving, RanksMayLeaveInAnyOrder) {
  World world(3);
  Exchange exchange(world, {Collective::all_to_all, 100}, 6);
  exchange.call_all();
  world.comms.pop_back();
  world.synchronize();
  EXPECT_TRUE(exchange.right());
  EXPECT_EQ(world.comm(0).async_error(), std::nullopt);
}

TEST(Leaving, MayFollowJoiningAtOnce) {
  constexpr int kRanks = 3;
  World world(kRanks);
  for (int i = 0; i < 50; ++i) {
    const auto id = comm::make_unique_id();
    const auto outcomes = on_each_rank(kRanks, [&world, &id](int rank) {
      static_cast<void>(comm::Communicator::init_rank(*world.backend, world.device(rank), id,
                                                      {rank, kRanks}, World::patient()));
    });
    ASSERT_THAT(outcomes, testing::Each(testing::IsEmpty()));
  }
}

TEST(Windows, KeepTheirMemory) {
  World world(2);
  std::vector<backend::Memory> memory;
  std::vector<const void*> addresses;
  for (auto& device : world.devices) {
    memory.push_back(device->allocate(300'000));
    addresses.push_back(memory.back().data());
  }
  std::array<comm::Window, 2> windows;
  comm::Group group;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    windows[rank] = world.comms[rank].register_window(memory[rank].data(), 300'000);
  }
  group.end();
  memory.clear();
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_TRUE(world.device(rank).allocation_of(addresses[World::at(rank)]).has_value());
    world.comm(rank).deregister(windows[World::at(rank)]);
  }
  world.comms.clear();
  EXPECT_FALSE(world.device(0).allocation_of(addresses[0]).has_value());
}

TEST(Windows, MayEndAndBeFreedWhilePeersStillMapThem) {
  constexpr int kRanks = 3;
  World world(kRanks);
  const auto outcomes = on_each_rank(kRanks, [&world](int rank) {
    for (int i = 0; i < 300; ++i) {
      const auto memory = world.device(rank).allocate(5'000);
      auto& comm = world.comm(rank);
      comm.deregister(comm.register_window(memory.data(), memory.bytes()));
    }
  });
  EXPECT_THAT(outcomes, testing::Each(testing::IsEmpty()));
}

}  // namespace
}  // namespace conccl::test
