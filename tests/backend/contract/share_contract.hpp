// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Memory and flags between processes. With another owner in it, what this process shared is mapped
/// as if another process had shared it.
#pragma once

#include <gmock/gmock.h>

#include <thread>
#include <utility>

#include "conccl/core/errors.hpp"
#include "tests/backend/contract/backend_contract.hpp"

namespace conccl::backend::contract {

class ShareContract : public BackendContract {
 protected:
  [[nodiscard]] Shareable share(const Memory& memory) {
    return device().share(device().allocation_of(memory.data()).value());
  }

  [[nodiscard]] Shareable as_if_foreign(const Memory& memory) {
    Shareable shareable = share(memory);
    shareable.owner[0] ^= std::byte{1};
    return shareable;
  }

  [[nodiscard]] std::string refusal(Shareable shareable) {
    try {
      (void)device().map(std::move(shareable));
    } catch (const RunError& error) {
      return error.what();
    }
    return "mapped";
  }
};

TEST_P(ShareContract, EveryDeviceFindsAnAllocation) {
  const Memory memory = device().allocate(100);
  const auto other_device = backend().open_device(1);
  for (const auto& found :
       {device().allocation_of(memory.at(99)), other_device->allocation_of(memory.data())}) {
    ASSERT_TRUE(found);
    EXPECT_EQ(found->base, memory.data());
    EXPECT_EQ(found->bytes, 100U);
    EXPECT_EQ(found->memory.lock().get(), memory.data());
  }
  EXPECT_FALSE(device().allocation_of(memory.at(100)));
}

TEST_P(ShareContract, AnIdIsNeverUsedAgain) {
  std::uint64_t last = 0;
  for (int i = 0; i < 3; ++i) {
    const Memory memory = device().allocate(100);
    const auto found = device().allocation_of(memory.data());
    ASSERT_TRUE(found);
    EXPECT_GT(found->id, last);
    last = found->id;
  }
}

TEST_P(ShareContract, AnAllocationOfThisProcessIsItself) {
  const Memory memory = device().allocate(5000);
  const Memory mapped = backend().open_device(1)->map(share(memory));
  EXPECT_EQ(mapped.data(), memory.data());
  EXPECT_EQ(mapped.bytes(), memory.bytes());
}

TEST_P(ShareContract, AMappingKeepsAnAllocationOfThisProcess) {
  Memory memory = device().allocate(5000);
  const auto allocation = device().allocation_of(memory.data()).value();
  Memory mapped = device().map(share(memory));
  memory = {};
  EXPECT_FALSE(allocation.memory.expired());
  mapped = {};
  EXPECT_TRUE(allocation.memory.expired());
}

TEST_P(ShareContract, WritesAreSeenThroughTheOtherMapping) {
  for (const Bytes bytes : {Bytes{1}, Bytes{100}, Bytes{70'001}, 3 * kMiB + 5}) {
    const Memory before = device().allocate(100);
    const Memory memory = device().allocate(bytes);
    const Memory mapped = device().map(as_if_foreign(memory));
    ASSERT_NE(mapped.data(), memory.data());
    ASSERT_EQ(mapped.bytes(), bytes);
    fill(memory, {1, bytes});
    EXPECT_EQ(compare(mapped, {1, bytes}).mismatches, 0U);
    fill(mapped, {2, bytes});
    EXPECT_EQ(compare(memory, {2, bytes}).mismatches, 0U);
  }
}

TEST_P(ShareContract, ForeignMemoryIsMappedOnce) {
  const Memory memory = device().allocate(2 * kMiB);
  Memory first = device().map(as_if_foreign(memory));
  const Memory second = backend().open_device(1)->map(as_if_foreign(memory));
  EXPECT_EQ(first.data(), second.data());
  first = {};
  fill(memory, {1, 3});
  EXPECT_EQ(compare(second, {1, 3}).mismatches, 0U);
}

TEST_P(ShareContract, AForeignMappingOutlivesTheAllocation) {
  Memory memory = device().allocate(2 * kMiB);
  fill(memory, {1, 3});
  const Memory mapped = device().map(as_if_foreign(memory));
  memory = {};
  EXPECT_EQ(compare(mapped, {1, 3}).mismatches, 0U);
}

TEST_P(ShareContract, ForeignMemoryIsNotOfThisProcess) {
  const Memory memory = device().allocate(100);
  const Memory mapped = device().map(as_if_foreign(memory));
  EXPECT_FALSE(device().allocation_of(mapped.data()));
}

TEST_P(ShareContract, WhatIsFreedIsRefused) {
  Memory memory = device().allocate(5000);
  const auto allocation = device().allocation_of(memory.data()).value();
  Shareable shareable = share(memory);
  memory = {};
  EXPECT_FALSE(device().allocation_of(allocation.base));
  EXPECT_THROW((void)device().share(allocation), RunError);
  EXPECT_THAT(refusal(std::move(shareable)), testing::HasSubstr("freed"));
}

TEST_P(ShareContract, BadShareablesAreRefused) {
  const Memory memory = device().allocate(5000);
  Shareable too_large = as_if_foreign(memory);
  too_large.bytes = Bytes{1} << 50;
  EXPECT_THAT(refusal(std::move(too_large)), testing::HasSubstr("1125899906842624"));
  Shareable overflowing = as_if_foreign(memory);
  overflowing.bytes = ~Bytes{0};
  EXPECT_NE(refusal(std::move(overflowing)), "mapped");
  Shareable empty;
  empty.owner[0] = std::byte{1};
  EXPECT_NE(refusal(std::move(empty)), "mapped");
  Shareable cut = as_if_foreign(memory);
  ASSERT_FALSE(cut.data.empty());
  cut.data.pop_back();
  EXPECT_NE(refusal(std::move(cut)), "mapped");
}

TEST_P(ShareContract, FlagsStartAtZeroInUsedMemory) {
  for (int i = 0; i < 3; ++i) {
    const auto flags = device().make_flags(3);
    for (int flag = 0; flag < 3; ++flag) EXPECT_EQ(flags->value(flag), 0U);
    EXPECT_FALSE(flags->poisoned());
    for (int flag = 0; flag < 3; ++flag) flags->raise(flag, 7);
    flags->poison();
  }
}

TEST_P(ShareContract, AFlagRaisedThroughOneBlockWakesAWaiterInTheOther) {
  const auto flags = device().make_flags(2);
  const auto mapped = device().map_flags(device().map(as_if_foreign(flags->memory())), 2);
  ASSERT_EQ(mapped->size(), 2);
  WaitResult here = WaitResult::timed_out;
  WaitResult there = WaitResult::timed_out;
  std::thread waiter([&] {
    here = flags->wait(0, 4, kLimit);
    flags->raise(1, 5);
  });
  std::thread foreign([&] {
    mapped->raise(0, 4);
    there = mapped->wait(1, 5, kLimit);
  });
  waiter.join();
  foreign.join();
  EXPECT_EQ(here, WaitResult::raised);
  EXPECT_EQ(there, WaitResult::raised);
}

TEST_P(ShareContract, PoisonReachesTheOtherBlock) {
  const auto flags = device().make_flags(2);
  const auto mapped = device().map_flags(device().map(as_if_foreign(flags->memory())), 2);
  WaitResult result = WaitResult::timed_out;
  std::thread waiter([&] { result = mapped->wait(1, 1, kLimit); });
  flags->poison();
  waiter.join();
  EXPECT_EQ(result, WaitResult::poisoned);
  EXPECT_TRUE(mapped->poisoned());
}

TEST_P(ShareContract, AQueueWaitsForAndSignalsMappedFlags) {
  const auto flags = device().make_flags(2);
  const auto mapped = device().map_flags(device().map(as_if_foreign(flags->memory())), 2);
  main().wait({mapped.get(), 0}, 3);
  main().signal({mapped.get(), 1}, 3);
  main().submit();
  flags->raise(0, 3);
  EXPECT_EQ(flags->wait(1, 3, kLimit), WaitResult::raised);
  EXPECT_TRUE(main().synchronize(kLimit));
}

TEST_P(ShareContract, FlagsNeedTheirMemory) {
  const auto flags = device().make_flags(2);
  EXPECT_THROW((void)device().map_flags(flags->memory(), 100'000), RunError);
  EXPECT_THROW((void)device().map_flags(Memory(), 0), RunError);
}

}  // namespace conccl::backend::contract
