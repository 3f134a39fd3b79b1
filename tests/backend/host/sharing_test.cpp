// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/sharing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <vector>

#include "backend/host/memory.hpp"
#include "conccl/core/errors.hpp"
#include "tests/backend/host/process_files.hpp"

namespace conccl::backend::host {
namespace {

using testing::HasSubstr;

Shareable as_if_foreign(const Arena& arena, const Memory& memory) {
  Shareable shared = arena.share(arena.allocation_of(memory.data()).value());
  shared.owner[3] ^= std::byte{1};
  return shared;
}

void set_word(Shareable& shareable, std::size_t index, std::uint64_t value) {
  std::memcpy(shareable.data.data() + index * sizeof(value), &value, sizeof(value));
}

std::string refusal(Shareable shareable) {
  try {
    (void)Imports::of_process().map(std::move(shareable));
  } catch (const RunError& error) {
    return error.what();
  }
  return "mapped";
}

TEST(Sharing, TheNumberOfAProcessIsItsOwn) {
  EXPECT_EQ(this_process(), this_process());
  EXPECT_NE(this_process(), ProcessId{});
  const ProcessId parent = this_process();
  const pid_t child = fork();
  if (child == 0) _exit(this_process() == parent ? 1 : 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "a child after fork takes itself for its parent";
}

TEST(Sharing, WhatWasSharedIsNotUsedAgainWhileOthersMayWriteToIt) {
  Arena arena(0);
  const Memory neighbour = arena.allocate(500);
  std::optional<Memory> shared = arena.allocate(500);
  const void* const address = shared->data();
  (void)arena.share(arena.allocation_of(address).value());
  shared.reset();
  std::vector<Memory> later;
  for (int i = 0; i < 1000; ++i) {
    later.push_back(arena.allocate(500));
    ASSERT_NE(later.back().data(), address);
  }
}

TEST(Sharing, AForkedProcessCannotAllocateTheSameBytes) {
  Arena arena(0);
  (void)arena.allocate(500);
  const pid_t child = fork();
  if (child == 0) {
    try {
      (void)arena.allocate(500);
    } catch (const RunError&) {
      _exit(0);
    }
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Sharing, AChildProcessWritesIntoTheAllocation) {
  Arena arena(0);
  const Memory neighbour = arena.allocate(500);
  const Memory memory = arena.allocate(500);
  const Shareable shared = arena.share(arena.allocation_of(memory.data()).value());
  const pid_t child = fork();
  if (child == 0) {
    Shareable received{shared.owner, shared.allocation, shared.bytes, shared.data, {}};
    received.descriptors.push_back(shared.descriptors.front().duplicate());
    const Memory mapped = arena.map(std::move(received));
    if (mapped.data() == memory.data()) _exit(1);
    std::memset(mapped.data(), 0x5A, mapped.bytes());
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  for (Bytes i = 0; i < memory.bytes(); ++i) ASSERT_EQ(*memory.at(i), std::byte{0x5A});
  EXPECT_EQ(*neighbour.at(499), std::byte{0});
}

TEST(Sharing, ASegmentIsMappedOnceAndUnmappedAtTheEnd) {
  Arena arena(0);
  const Memory memory = arena.allocate(5000);
  const Memory neighbour = arena.allocate(5000);
  const int mappings = device_mappings();
  const auto files = open_files();
  {
    const Memory one = arena.map(as_if_foreign(arena, memory));
    const Memory again = arena.map(as_if_foreign(arena, memory));
    const Memory other = arena.map(as_if_foreign(arena, neighbour));
    EXPECT_EQ(one.data(), again.data());
    EXPECT_EQ(other.at(0) - one.at(0), neighbour.at(0) - memory.at(0));
    EXPECT_EQ(device_mappings(), mappings + 1);
    EXPECT_EQ(open_files(), files);
  }
  EXPECT_EQ(device_mappings(), mappings);
  EXPECT_EQ(open_files(), files);
}

TEST(Sharing, RefusalsSayWhatIsWrong) {
  Arena arena(0);
  const Memory memory = arena.allocate(5000);
  Shareable askew = as_if_foreign(arena, memory);
  set_word(askew, 2, 8);
  EXPECT_THAT(refusal(std::move(askew)), HasSubstr("offset 8, expected a multiple of 64"));
  Shareable outside = as_if_foreign(arena, memory);
  set_word(outside, 2, 16 * kMiB);
  EXPECT_THAT(refusal(std::move(outside)), HasSubstr("a segment of 16777216 bytes"));
  Shareable larger = as_if_foreign(arena, memory);
  set_word(larger, 1, 17 * kMiB);
  EXPECT_THAT(refusal(std::move(larger)), HasSubstr("expected 17825792"));
  Shareable without = as_if_foreign(arena, memory);
  without.descriptors.clear();
  EXPECT_THAT(refusal(std::move(without)), HasSubstr("0 descriptors"));
  const Memory mapped = arena.map(as_if_foreign(arena, memory));
  Shareable smaller = as_if_foreign(arena, memory);
  set_word(smaller, 1, 8 * kMiB);
  EXPECT_THAT(refusal(std::move(smaller)), HasSubstr("it is mapped with"));
}

/// Whatever arrives is refused or lies inside the file.
RC_GTEST_PROP(Sharing, AnyBytesAreRefusedOrSafe, ()) {
  Arena arena(0);
  const Memory memory = arena.allocate(5000);
  Shareable shared = as_if_foreign(arena, memory);
  const auto word =
      rc::gen::oneOf(rc::gen::arbitrary<std::uint64_t>(), rc::gen::inRange<std::uint64_t>(0, 128),
                     rc::gen::just<std::uint64_t>(~std::uint64_t{0}), rc::gen::just(16 * kMiB));
  for (std::size_t i = 0; i < 3; ++i) {
    if (*rc::gen::arbitrary<bool>()) set_word(shared, i, *word);
  }
  if (*rc::gen::arbitrary<bool>()) shared.bytes = *word;
  if (*rc::gen::arbitrary<bool>()) shared.data.resize(*rc::gen::inRange<std::size_t>(0, 40));
  std::optional<Memory> mapped;
  try {
    mapped = Imports::of_process().map(std::move(shared));
  } catch (const RunError&) {
    return;
  }
  if (mapped->bytes() == 0) return;
  RC_ASSERT(mapped->bytes() <= 16 * kMiB);
  std::memset(mapped->data(), 1, 1);
  std::memset(mapped->at(mapped->bytes() - 1), 1, 1);
}

}  // namespace
}  // namespace conccl::backend::host
