// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/backend/host_flags.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

#include "conccl/core/errors.hpp"
#include "tests/backend/host/support.hpp"

namespace conccl::backend {
namespace {

using host::flag_memory;

constexpr std::chrono::seconds kLimit{60};

TEST(HostFlags, ARaiseReleasesEveryWaiter) {
  HostFlags flags(flag_memory(1), 1, nullptr);
  std::array<WaitResult, 8> results{};
  results.fill(WaitResult::timed_out);
  std::vector<std::thread> threads;
  for (WaitResult& result : results) {
    threads.emplace_back([&flags, &result] { result = flags.wait(0, 5, kLimit); });
  }
  for (std::uint64_t value = 1; value <= 5; ++value) flags.raise(0, value);
  for (std::thread& thread : threads) thread.join();
  for (const WaitResult result : results) EXPECT_EQ(result, WaitResult::raised);
}

TEST(HostFlags, NoWakeUpIsLostInAPingPong) {
  constexpr std::uint64_t kRounds = 5000;
  HostFlags ping(flag_memory(1), 1, nullptr);
  HostFlags pong(flag_memory(1), 1, nullptr);
  std::uint64_t payload = 0;
  std::thread peer([&] {
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      if (ping.wait(0, round, kLimit) != WaitResult::raised) return;
      payload += round;
      pong.raise(0, round);
    }
  });
  bool on_time = true;
  for (std::uint64_t round = 1; round <= kRounds && on_time; ++round) {
    payload += round;
    ping.raise(0, round);
    on_time = pong.wait(0, round, kLimit) == WaitResult::raised;
  }
  peer.join();
  EXPECT_TRUE(on_time);
  EXPECT_EQ(payload, kRounds * (kRounds + 1));
}

TEST(HostFlags, PoisonReleasesWaitersOfEveryFlag) {
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    HostFlags flags(flag_memory(2), 2, nullptr);
    std::array<WaitResult, 2> results{};
    std::thread first([&] { results[0] = flags.wait(0, 1, kLimit); });
    std::thread second([&] { results[1] = flags.wait(1, 1, kLimit); });
    flags.poison();
    first.join();
    second.join();
    ASSERT_EQ(results[0], WaitResult::poisoned);
    ASSERT_EQ(results[1], WaitResult::poisoned);
  }
}

// A waiter that sees the poison has marked the word once more: others must not sleep on that.
TEST(HostFlags, PoisonReleasesAllWaitersOfOneFlag) {
  for (int round = 0; round < 300; ++round) {
    HostFlags flags(flag_memory(1), 1, nullptr);
    std::array<WaitResult, 3> results{};
    {
      std::vector<std::jthread> waiters;
      for (WaitResult& result : results) {
        waiters.emplace_back([&flags, &result] { result = flags.wait(0, 1, kLimit); });
      }
      std::this_thread::sleep_for(std::chrono::microseconds(round));
      flags.poison();
    }
    for (const WaitResult result : results) ASSERT_EQ(result, WaitResult::poisoned);
  }
}

TEST(HostFlags, AWaitLastsAsLongAsItsLimit) {
  HostFlags flags(flag_memory(1), 1, nullptr);
  constexpr std::chrono::milliseconds kShort{5};
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(flags.wait(0, 1, kShort), WaitResult::timed_out);
  EXPECT_GE(std::chrono::steady_clock::now() - start, kShort);
}

TEST(HostFlags, AnEndlessLimitDoesNotOverflow) {
  HostFlags flags(flag_memory(1), 1, nullptr);
  std::thread raiser([&flags] { flags.raise(0, 1); });
  EXPECT_EQ(flags.wait(0, 1, std::chrono::nanoseconds::max()), WaitResult::raised);
  raiser.join();
}

TEST(HostFlags, TheRaisersBytesAreVisibleEvenWhenPoisonFollows) {
  HostFlags flags(flag_memory(1), 1, nullptr);
  flags.raise(0, 7);
  flags.poison();
  EXPECT_EQ(flags.wait(0, 7, kLimit), WaitResult::raised);
  EXPECT_EQ(flags.wait(0, 8, kLimit), WaitResult::poisoned);
}

TEST(HostFlags, IndicesAreChecked) {
  HostFlags flags(flag_memory(2), 2, nullptr);
  EXPECT_THROW(flags.raise(2, 1), BrokenInvariant);
  EXPECT_THROW((void)flags.value(-1), BrokenInvariant);
  EXPECT_THROW(HostFlags(flag_memory(0), -1, nullptr), InputError);
  EXPECT_EQ(HostFlags(flag_memory(0), 0, nullptr).size(), 0);
}

TEST(HostFlags, MemoryIsChecked) {
  EXPECT_THROW(HostFlags(flag_memory(2), 3, nullptr), RunError);
  EXPECT_THROW(HostFlags(Memory(), 0, nullptr), RunError);
  const Memory memory = flag_memory(3);
  const std::shared_ptr<void> askew(std::make_shared<Memory>(memory), memory.at(8));
  EXPECT_THROW(HostFlags(Memory(askew, HostFlags::bytes_for(2)), 2, nullptr), RunError);
}

TEST(HostFlags, BlocksOverTheSameMemoryAreOne) {
  const Memory memory = flag_memory(2);
  HostFlags one(memory, 2, nullptr);
  HostFlags other(memory, 2, nullptr);
  one.raise(1, 9);
  EXPECT_EQ(other.value(1), 9U);
  EXPECT_EQ(other.value(0), 0U);
  other.poison();
  EXPECT_TRUE(one.poisoned());
  EXPECT_EQ(one.memory().data(), memory.data());
}

}  // namespace
}  // namespace conccl::backend
