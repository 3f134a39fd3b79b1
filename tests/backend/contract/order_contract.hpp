// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Order: fences within a queue, flags across queues and devices, poison, deadlines.
#pragma once

#include <algorithm>
#include <array>

#include "conccl/core/errors.hpp"
#include "tests/backend/contract/backend_contract.hpp"

namespace conccl::backend::contract {

class OrderContract : public BackendContract {};

TEST_P(OrderContract, AnOperationBetweenCopiesIsAFence) {
  constexpr Bytes kBytes = 2 * kMiB + 3;
  std::array<Memory, 5> chain;
  for (Memory& memory : chain) memory = device().allocate(kBytes);
  for (const auto engine : {plan::Engine::dma, plan::Engine::compute}) {
    fill(chain[0], {3, 7});
    for (std::size_t i = 1; i < chain.size(); ++i) poison(chain[i]);
    const auto copies = queue(engine);
    Timestamp ignored{};
    for (std::size_t i = 1; i < chain.size(); ++i) {
      copies->copy(chain[i].data(), chain[i - 1].data(), kBytes, {});
      copies->timestamp(ignored);
    }
    finish(*copies);
    EXPECT_EQ(compare(chain.back(), {3, 7}).mismatches, 0U);
  }
}

TEST_P(OrderContract, ComputeIsAFence) {
  const Memory source = device().allocate(2 * kMiB);
  const Memory target = device().allocate(2 * kMiB);
  Comparison result;
  const auto pattern_stretch = [](const Pattern& pattern) {
    return std::vector<Stretch>{{0, 2 * kMiB, pattern, 0}};
  };
  const auto first = device().make_fill(source.data(), pattern_stretch({1, 1}));
  const auto check = device().make_compare(target.data(), pattern_stretch({1, 1}), result);
  const auto second = device().make_fill(source.data(), pattern_stretch({1, 2}));
  main().compute(*first, {});
  main().copy(target.data(), source.data(), 2 * kMiB, {});
  main().compute(*second, {});
  main().compute(*check, {});
  finish(main());
  EXPECT_EQ(result.compared, 2 * kMiB);
  EXPECT_EQ(result.mismatches, 0U);
}

TEST_P(OrderContract, FlagsOrderQueuesOfTwoDevices) {
  constexpr Bytes kBytes = kMiB + 1;
  const auto peer = backend().open_device(1);
  const auto here = device().make_flags(1);
  const auto there = peer->make_flags(1);
  const auto left = queue(plan::Engine::dma);
  const auto right = peer->make_queue({"peer", plan::Engine::dma, {}, plan::Priority::normal});
  const Memory a = device().allocate(kBytes);
  const Memory b = peer->allocate(kBytes);
  fill(a, {5, 0});
  for (std::uint64_t round = 1; round <= 20; ++round) {
    poison(b);
    left->copy(b.data(), a.data(), kBytes, {});
    left->signal({there.get(), 0}, round);
    left->wait({here.get(), 0}, round);
    right->wait({there.get(), 0}, round);
    right->copy(a.data(), b.data(), kBytes, {});
    right->signal({here.get(), 0}, round);
    right->submit();
    finish(*left);
    ASSERT_EQ(compare(a, {5, 0}).mismatches, 0U);
  }
  finish(*right);
}

TEST_P(OrderContract, PoisonReleasesAWaitAndSkipsTheWorkBehindIt) {
  const auto flags = device().make_flags(2);
  const auto block = device().make_flags(1);
  const Memory source = device().allocate(64);
  const Memory target = device().allocate(64);
  fill(source, {1, 1});
  poison(target);
  const auto before = download(target);
  const auto copies = queue(plan::Engine::dma);
  Timestamp passed{};
  copies->wait({block.get(), 0}, 1);
  copies->copy(target.data(), source.data(), 64, {});
  copies->signal({flags.get(), 0}, 1);
  copies->timestamp(passed);
  copies->submit();
  EXPECT_FALSE(copies->synchronize(std::chrono::milliseconds(1)));
  block->poison();
  ASSERT_TRUE(copies->synchronize(kLimit));
  EXPECT_EQ(flags->value(0), 1U);
  EXPECT_GT(passed.count(), 0);
  if (backend().capabilities().drops_work) {
    EXPECT_EQ(download(target), before);
  }
}

TEST_P(OrderContract, AfterAPoisonedSubmissionTheNextOneRuns) {
  const auto block = device().make_flags(1);
  block->poison();
  const Memory source = device().allocate(64);
  const Memory target = device().allocate(64);
  fill(source, {1, 1});
  const auto copies = queue(plan::Engine::dma);
  copies->wait({block.get(), 0}, 1);
  finish(*copies);
  copies->copy(target.data(), source.data(), 64, {});
  finish(*copies);
  EXPECT_EQ(compare(target, {1, 1}).mismatches, 0U);
}

TEST_P(OrderContract, SynchronizeEndsAtItsLimit) {
  const auto flags = device().make_flags(1);
  const auto waiting = queue(plan::Engine::compute);
  waiting->wait({flags.get(), 0}, 3);
  waiting->submit();
  EXPECT_FALSE(waiting->synchronize(std::chrono::milliseconds(1)));
  flags->raise(0, 2);
  EXPECT_FALSE(waiting->synchronize(std::chrono::milliseconds(1)));
  flags->raise(0, 4);
  EXPECT_TRUE(waiting->synchronize(kLimit));
}

TEST_P(OrderContract, FlagsTimeOutAndCountUp) {
  const auto flags = device().make_flags(3);
  EXPECT_EQ(flags->size(), 3);
  EXPECT_EQ(flags->wait(1, 1, std::chrono::milliseconds(1)), WaitResult::timed_out);
  EXPECT_EQ(flags->wait(1, 0, std::chrono::nanoseconds(0)), WaitResult::raised);
  flags->raise(1, std::uint64_t{1} << 40);
  EXPECT_EQ(flags->wait(1, std::uint64_t{1} << 40, std::chrono::nanoseconds(0)),
            WaitResult::raised);
  EXPECT_EQ(flags->value(1), std::uint64_t{1} << 40);
  EXPECT_EQ(flags->value(0), 0U);
  EXPECT_FALSE(flags->poisoned());
  flags->poison();
  EXPECT_TRUE(flags->poisoned());
  EXPECT_EQ(flags->wait(2, 1, kLimit), WaitResult::poisoned);
}

TEST_P(OrderContract, TimestampsAreOnTheDevicesClockAndMonotone) {
  const Memory source = device().allocate(kMiB);
  const Memory target = device().allocate(kMiB);
  std::array<Timestamp, 40> stamps{};
  const Nanoseconds before = device().now();
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    main().timestamp(stamps[i]);
    if (i % 2 == 0) main().copy(target.data(), source.data(), kMiB, {});
  }
  finish(main());
  const Nanoseconds after = device().now();
  EXPECT_LE(before, stamps.front());
  EXPECT_TRUE(std::ranges::is_sorted(stamps));
  EXPECT_LE(stamps.back(), after);
  EXPECT_LT(stamps.front(), stamps.back());
}

TEST_P(OrderContract, ATaskOfAnotherBackendIsRefused) {
  struct Foreign : Task {
  } foreign;
  EXPECT_THROW(main().compute(foreign, {}), InputError);
}

}  // namespace conccl::backend::contract
