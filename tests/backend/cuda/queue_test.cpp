// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>

#include <array>
#include <thread>
#include <vector>

#include "conccl/core/errors.hpp"
#include "tests/backend/cuda/support.hpp"

namespace conccl::backend::cuda {
namespace {

constexpr Bytes kBytes = 4 * kMiB;

using Streams = CudaTest;

/// A share's first GEMM must not wait for a stream that waits for it.
TEST_F(Streams, AFirstGemmOnAShareStartsWhileOthersWait) {
  using Kind = plan::Share::Kind;
  const auto flags = first().make_flags(1);
  const auto gemm = first().make_gemm({512, 512, 512}, 3);
  const int step = backend().capabilities().unit_step;
  const auto waiting = queue(plan::Engine::dma);
  const Memory memory = first().allocate(kBytes);
  waiting->wait({flags.get(), 0}, 1);
  waiting->copy(memory.data(), memory.at(kMiB), kMiB, {});
  waiting->submit();
  std::unique_ptr<Queue> side;
  std::thread work([&] {
    side = queue(plan::Engine::compute, {Kind::all_but, 3 * step});
    side->compute(*gemm, {});
    side->signal({flags.get(), 0}, 1);
    side->submit();
  });
  EXPECT_TRUE(waiting->synchronize(kLimit));
  flags->poison();
  work.join();
  EXPECT_TRUE(side->synchronize(kLimit));
}

TEST_F(Streams, PoisonReleasesManyWaitingStreams) {
  const auto flags = first().make_flags(40);
  std::vector<std::unique_ptr<Queue>> waiting;
  // All are made first: while others wait, the driver may hold up whoever makes one more.
  for (int i = 0; i < 40; ++i) waiting.push_back(queue(plan::Engine::dma));
  for (int i = 0; i < 40; ++i) {
    waiting[static_cast<std::size_t>(i)]->wait({flags.get(), i}, 7);
    waiting[static_cast<std::size_t>(i)]->submit();
  }
  EXPECT_FALSE(waiting.front()->synchronize(std::chrono::milliseconds(1)));
  flags->poison();
  for (const auto& each : waiting) EXPECT_TRUE(each->synchronize(kLimit));
}

TEST_F(Streams, ASignalAfterPoisonDoesNotHoldAWaiterBack) {
  const auto flags = first().make_flags(2);
  const auto late = queue(plan::Engine::dma);
  const auto waiting = queue(plan::Engine::dma);
  late->wait({flags.get(), 0}, 1);
  late->signal({flags.get(), 1}, 1);
  late->submit();
  waiting->wait({flags.get(), 0}, 1);
  waiting->wait({flags.get(), 1}, 1);
  waiting->wait({flags.get(), 1}, 2);
  waiting->submit();
  flags->poison();
  ASSERT_TRUE(late->synchronize(kLimit));
  EXPECT_TRUE(waiting->synchronize(kLimit));
}

TEST_F(Streams, AStreamOfTheCallerIsAQueue) {
  const Stream mine = gpu()->make_stream(plan::Priority::normal);
  const Memory source = first().allocate(kBytes);
  const Memory target = first().allocate(kBytes);
  fill(first(), source.data(), kBytes, {1, 9});
  for (void* stream : {static_cast<void*>(mine.get()), static_cast<void*>(nullptr)}) {
    run(first(), *first().make_poison(target.data(), kBytes));
    const auto wrapped = wrap_stream(first(), stream);
    wrapped->copy(target.data(), source.data(), kBytes, {});
    finish(*wrapped);
    EXPECT_EQ(compare(first(), target.data(), kBytes, {1, 9}).mismatches, 0U);
  }
}

TEST_F(Streams, ADeepBatchOfFlagsIsSplit) {
  constexpr int kCount = 600;
  const auto flags = first().make_flags(kCount);
  const auto left = queue(plan::Engine::dma);
  for (int i = 0; i < kCount; ++i) left->signal({flags.get(), i}, 5);
  for (int i = 0; i < kCount; ++i) left->wait({flags.get(), i}, 5);
  finish(*left);
  EXPECT_EQ(flags->value(kCount - 1), 5U);
}

/// What an enqueue and a barrier cost, for people to read.
TEST_F(Streams, HandingOverIsQuick) {
  constexpr int kRounds = 300;
  const auto here = first().make_flags(2);
  const auto there = second().make_flags(2);
  const Memory a = first().allocate(kBytes);
  const Memory b = second().allocate(kBytes);
  const auto left = queue(plan::Engine::dma);
  const auto right = second().make_queue({"peer", plan::Engine::dma, {}, plan::Priority::normal});
  std::array<Timestamp, 2> times{};
  Nanoseconds spent{};
  left->timestamp(times[0]);
  for (int round = 1; round <= kRounds; ++round) {
    const auto value = static_cast<std::uint64_t>(round);
    const auto start = std::chrono::steady_clock::now();
    left->signal({there.get(), 0}, value);
    left->wait({here.get(), 0}, value);
    left->copy(b.data(), a.data(), 64 * kKiB, {});
    left->signal({there.get(), 1}, value);
    left->wait({here.get(), 1}, value);
    left->submit();
    spent += std::chrono::steady_clock::now() - start;
    right->signal({here.get(), 0}, value);
    right->wait({there.get(), 0}, value);
    right->copy(a.at(kMiB), b.at(kMiB), 64 * kKiB, {});
    right->signal({here.get(), 1}, value);
    right->wait({there.get(), 1}, value);
    right->submit();
  }
  left->timestamp(times[1]);
  finish(*left);
  finish(*right);
  const auto per_round = (times[1] - times[0]).count() / kRounds;
  RecordProperty("nanoseconds_per_round", static_cast<int>(per_round));
  RecordProperty("nanoseconds_to_enqueue", static_cast<int>(spent.count() / kRounds));
  std::printf("all-gather of 64 KiB: %lld ns per round, %lld ns to enqueue one rank\n",
              static_cast<long long>(per_round), static_cast<long long>(spent.count() / kRounds));
  EXPECT_LT(per_round, 1'000'000);
}

}  // namespace
}  // namespace conccl::backend::cuda
