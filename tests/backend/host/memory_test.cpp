// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <map>
#include <thread>
#include <vector>

#include "backend/host/red_zones.hpp"
#include "conccl/core/errors.hpp"
#include "tests/backend/host/process_files.hpp"

namespace conccl::backend::host {
namespace {

std::uintptr_t address_of(const Memory& memory) {
  return reinterpret_cast<std::uintptr_t>(memory.data());
}

TEST(Arena, AlignsAndOutlivesItsOwner) {
  Memory kept;
  {
    Arena arena(0);
    kept = arena.allocate(100);
    EXPECT_EQ(address_of(kept) % 64, 0U);
    const Memory large = arena.allocate(kMiB + 1);
    EXPECT_EQ(address_of(large) % 4096, 0U);
    EXPECT_EQ(large.bytes(), kMiB + 1);
    EXPECT_NE(arena.allocate(0).data(), nullptr);
  }
  *kept.at(99) = std::byte{1};
}

TEST(Arena, ForgetsWhatWasReleased) {
  Arena arena(0);
  Memory memory = arena.allocate(100);
  const auto* address = static_cast<const std::byte*>(memory.data());
  ASSERT_TRUE(arena.allocation_of(address + 99));
  EXPECT_EQ(arena.allocation_of(address + 99)->bytes, 100U);
  memory = {};
  EXPECT_FALSE(arena.allocation_of(address));
}

TEST(Arena, RefusesMoreThanTheMachineHas) {
  Arena arena(kMiB);
  EXPECT_THROW((void)arena.allocate(kMiB + 1), RunError);
  EXPECT_NO_THROW((void)arena.allocate(kMiB));
}

TEST(Arena, AnAllocationOfNothingHasAnAddressOfItsOwn) {
  Arena arena(0);
  const Memory one = arena.allocate(0);
  const Memory other = arena.allocate(0);
  EXPECT_NE(one.data(), other.data());
  ASSERT_TRUE(arena.allocation_of(one.data()));
  EXPECT_EQ(arena.allocation_of(one.data())->bytes, 0U);
  EXPECT_FALSE(arena.allocation_of(one.at(1)));
}

TEST(Arena, ManySmallAllocationsShareFewFiles) {
  const auto files = open_files();
  const int mappings = device_mappings();
  Arena arena(0);
  std::vector<Memory> kept;
  for (int i = 0; i < 10'000; ++i) kept.push_back(arena.allocate(static_cast<Bytes>(i % 5000)));
  EXPECT_LE(open_files() - files, 6);
  kept.clear();
  EXPECT_EQ(open_files(), files);
  EXPECT_EQ(device_mappings(), mappings);
}

TEST(Arena, FreedMemoryIsUsedAgain) {
  Arena arena(0);
  const Memory keeps_the_segment = arena.allocate(1);
  const auto files = open_files();
  for (int i = 0; i < 1000; ++i) (void)arena.allocate(kMiB - 1);
  EXPECT_EQ(open_files(), files);
}

TEST(Arena, WhoWatchesAnAllocationDoesNotKeepItsMemory) {
  const int mappings = device_mappings();
  Arena arena(0);
  Memory memory = arena.allocate(2 * kMiB);
  const auto watched = arena.allocation_of(memory.data());
  memory = {};
  ASSERT_TRUE(watched);
  EXPECT_TRUE(watched->memory.expired());
  EXPECT_EQ(device_mappings(), mappings);
}

TEST(Arena, ThreadsMayAllocateAtOnce) {
  const auto files = open_files();
  Arena arena(0);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int thread = 1; thread <= 4; ++thread) {
    threads.emplace_back([&arena, &wrong, thread] {
      for (Bytes i = 1; i <= 300; ++i) {
        const Memory memory = arena.allocate(i * 37);
        std::memset(memory.data(), thread, memory.bytes());
        std::this_thread::yield();
        if (*memory.at(0) != std::byte(thread)) ++wrong;
        if (*memory.at(memory.bytes() - 1) != std::byte(thread)) ++wrong;
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(open_files(), files);
}

#ifdef CONCCL_ADDRESS_SANITIZER
TEST(Arena, TheSanitizerSeesAccessesOutsideAllocations) {
  Arena arena(0);
  for (const Bytes bytes : {Bytes{100}, Bytes{4096}, 2 * kMiB}) {
    const Memory neighbour = arena.allocate(bytes);
    Memory memory = arena.allocate(bytes);
    EXPECT_EQ(__asan_region_is_poisoned(memory.data(), bytes), nullptr);
    EXPECT_EQ(__asan_address_is_poisoned(memory.at(bytes)), 1);
    EXPECT_EQ(__asan_address_is_poisoned(neighbour.at(bytes)), 1);
    if (bytes >= kMiB) continue;
    void* freed = memory.data();
    memory = {};
    EXPECT_EQ(__asan_address_is_poisoned(freed), 1);
  }
}
#endif

void check_apart(const std::map<std::uintptr_t, Memory>& live) {
  std::uintptr_t end = 0;
  for (const auto& [begin, memory] : live) {
    RC_ASSERT(begin >= end);
    end = begin + std::max<Bytes>(memory.bytes(), 1);
  }
}

RC_GTEST_PROP(Arena, AllocationsNeverOverlapAndAllAreReleased, ()) {
  const auto files = open_files();
  const int mappings = device_mappings();
  Arena arena(0);
  std::map<std::uintptr_t, Memory> live;
  const auto sizes = *rc::gen::container<std::vector<Bytes>>(
      rc::gen::oneOf(rc::gen::inRange<Bytes>(0, 300), rc::gen::inRange<Bytes>(4000, 5000),
                     rc::gen::inRange<Bytes>(kMiB - 100, kMiB + 100)));
  for (const Bytes bytes : sizes) {
    const Memory memory = arena.allocate(bytes);
    RC_ASSERT(address_of(memory) % (bytes < 4096 ? 64 : 4096) == 0);
    RC_ASSERT(live.emplace(address_of(memory), memory).second);
    check_apart(live);
    if (*rc::gen::arbitrary<bool>()) {
      const auto which = *rc::gen::inRange<std::size_t>(0, live.size());
      live.erase(std::next(live.begin(), static_cast<std::ptrdiff_t>(which)));
    }
  }
  for (const auto& [begin, memory] : live) {
    const auto found = arena.allocation_of(memory.data());
    RC_ASSERT(found.has_value());
    RC_ASSERT(found->bytes == memory.bytes());
  }
  live.clear();
  RC_ASSERT(open_files() == files);
  RC_ASSERT(device_mappings() == mappings);
}

}  // namespace
}  // namespace conccl::backend::host
