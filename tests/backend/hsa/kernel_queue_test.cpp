// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/kernel_queue.hpp"

#include <gmock/gmock.h>

#include <atomic>

#include "backend/hsa/kernels/reduce.hpp"
#include "tests/backend/hsa/grid.hpp"
#include "tests/backend/hsa/on_kernel_queue.hpp"

namespace conccl::backend::hsa {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(OnKernelQueue, FillCompareAndConcludeFindAWrongByte) {
  constexpr std::uint64_t kBytes = 1000;
  constexpr std::uint64_t kBase = 500;
  auto* const data = device_memory<unsigned char>(kBase + kBytes);
  auto* const tally = device_memory<Tally>(2);
  const PatternRange range{data + kBase, kBytes, {2, 7}, 3};
  const auto queue = this->queue();
  queue->launch({}, FillArgs{range});
  queue->launch({}, SetArgs{data + kBase + 333, 1, 0xEE});
  queue->launch({2 * kWorkgroup, {}, {}}, CompareArgs{range, kBase, tally});
  queue->launch({}, ConcludeArgs{data, tally, tally + 1});
  ASSERT_TRUE(queue->drain(kLong));
  EXPECT_EQ(tally[1].compared, kBytes);
  EXPECT_EQ(tally[1].mismatches, 1u);
  EXPECT_EQ(~tally[1].inverted_first_bad, kBase + 333);
  EXPECT_EQ(tally[1].found, 0xEEu);
}

TEST_F(OnKernelQueue, CopyAndDifferencesAgree) {
  constexpr std::uint64_t kBytes = 4099;
  auto* const left = device_memory<unsigned char>(kBytes);
  auto* const right = device_memory<unsigned char>(kBytes);
  auto* const tally = device_memory<Tally>(1);
  const auto queue = this->queue();
  queue->launch({}, FillArgs{{left, kBytes, {1, 1}, 0}});
  queue->launch({}, CopyArgs{{right, left, kBytes}});
  queue->launch({}, SetArgs{right + 10, 2, 0x5A});
  queue->launch({}, DifferencesArgs{left, right, kBytes, tally});
  ASSERT_TRUE(queue->drain(kLong));
  EXPECT_EQ(tally->compared, kBytes);
  const auto wrong = std::count_if(left + 10, left + 12, [](int byte) { return byte != 0x5A; });
  EXPECT_EQ(tally->mismatches, static_cast<std::uint64_t>(wrong));
  EXPECT_EQ(right[kBytes - 1], left[kBytes - 1]);
}

/// What the kernels' own source makes of the same arguments.
TEST_F(OnKernelQueue, RandomAndReduceGiveWhatTheirSourceGives) {
  constexpr std::uint64_t kCount = 777;
  ReduceArgs args;
  args.dst = device_memory<Bf16>(kCount);
  args.count = kCount;
  args.source_count = 5;
  args.type = Number::bf16;
  args.operation = Operation::sum;
  const auto queue = this->queue();
  for (int s = 0; s < 5; ++s) {
    auto* const source = device_memory<Bf16>(kCount);
    args.sources[s] = source;
    queue->launch({}, RandomArgs{source, kCount, {s, 4}, Number::bf16});
  }
  queue->launch({}, args);
  ASSERT_TRUE(queue->drain(kLong));
  std::vector<Bf16> expected(kCount);
  ReduceArgs again = args;
  again.dst = expected.data();
  for_each_item(3, [&](const WorkItem& me) { reduce(again, me); });
  EXPECT_EQ(std::memcmp(args.dst, expected.data(), kCount * sizeof(Bf16)), 0);
  std::vector<Bf16> drawn(kCount);
  random({drawn.data(), kCount, {4, 4}, Number::bf16}, {});
  EXPECT_EQ(std::memcmp(args.sources[4], drawn.data(), kCount * sizeof(Bf16)), 0);
}

TEST_F(OnKernelQueue, DecrementsTheSignalWhenTheKernelHasWritten) {
  auto* const data = device_memory<unsigned char>(1);
  const auto queue = this->queue();
  for (unsigned char i = 1; i < 100; ++i) {
    const auto done = signal(1);
    queue->launch({kWorkgroup, done, {}}, SetArgs{data, 1, i});
    ASSERT_TRUE(completes(done));
    EXPECT_EQ(value(done), 0);
    ASSERT_EQ(*data, i);
  }
}

TEST_F(OnKernelQueue, WaitsForEverySignalThatAKernelComesAfter) {
  auto* const data = device_memory<unsigned char>(1);
  const auto queue = this->queue();
  for (const std::size_t count : {1u, 5u, 6u, 11u}) {
    *data = 0;
    std::vector<abi::hsa_signal_t> before;
    for (std::size_t i = 0; i < count; ++i) before.push_back(signal(1));
    const auto done = signal(1);
    queue->launch({kWorkgroup, done, before}, SetArgs{data, 1, 9});
    for (const auto each : before) {
      EXPECT_FALSE(completes(done, std::chrono::milliseconds(5)));
      set(each, 0);
    }
    EXPECT_TRUE(completes(done)) << count;
    EXPECT_EQ(*data, 9);
  }
}

TEST_F(OnKernelQueue, ABarrierCompletesAfterWhatIsBeforeIt) {
  auto* const data = device_memory<unsigned char>(1);
  const auto before = signal(1);
  const auto done = signal(1);
  const auto queue = this->queue();
  queue->launch({kWorkgroup, {}, std::span(&before, 1)}, SetArgs{data, 1, 9});
  queue->barrier(done);
  EXPECT_FALSE(completes(done, std::chrono::milliseconds(20)));
  set(before, 0);
  EXPECT_TRUE(completes(done));
  EXPECT_EQ(*data, 9);
}

TEST_F(OnKernelQueue, KeepsOrderAndArgumentsThroughManyRounds) {
  constexpr std::size_t kKernels = 5000;
  auto* const data = device_memory<unsigned char>(kKernels + 1);
  const auto queue = this->queue({.packets = 64});
  for (std::size_t i = 0; i < kKernels; ++i) {
    queue->launch({}, SetArgs{data + i, 2, i % 251 + 1});
  }
  ASSERT_TRUE(queue->drain(kLong));
  for (std::size_t i = 0; i < kKernels; ++i) ASSERT_EQ(data[i], i % 251 + 1) << i;
  EXPECT_EQ(fake().get("kernels"), static_cast<std::int64_t>(kKernels));
}

TEST_F(OnKernelQueue, TellsTheTimesOfAKernel) {
  auto* const data = device_memory<unsigned char>(1);
  const auto done = signal(1);
  const auto queue = this->queue({.timed = true});
  queue->launch({kWorkgroup, done, {}}, SetArgs{data, 1, 1});
  ASSERT_TRUE(completes(done));
  const auto times = queue->times(done);
  EXPECT_GT(times.start, 0u);
  EXPECT_GE(times.end, times.start);
}

TEST_F(OnKernelQueue, RestrictsComputeUnitsAndSetsPriority) {
  const auto all = queue();
  EXPECT_EQ(all->units(), fake().get("compute_units"));
  const auto some = queue({.units = {0, 2, 5}, .priority = abi::HSA_AMD_QUEUE_PRIORITY_HIGH});
  EXPECT_EQ(some->units(), 3);
  EXPECT_EQ(fake().get("queue.1.units"), 3);
  EXPECT_EQ(fake().get("queue.0.priority"), abi::HSA_AMD_QUEUE_PRIORITY_NORMAL);
  EXPECT_EQ(fake().get("queue.1.priority"), abi::HSA_AMD_QUEUE_PRIORITY_HIGH);
}

TEST(UnitMask, HasABitPerUnitInWholeWords) {
  EXPECT_THAT(unit_mask(std::vector{0, 31, 32, 303}, 304, 0),
              ElementsAre(0x80000001u, 1u, 0, 0, 0, 0, 0, 0, 0, 1u << 15));
  EXPECT_THAT(unit_mask(std::vector{1, 1}, 8, 0), ElementsAre(2u));
  for (const int outside : {-1, 8, 31}) {
    try {
      (void)unit_mask(std::vector{outside}, 8, 4);
      FAIL() << outside;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()),
                "compute unit " + std::to_string(outside) + " of GPU 4: expected 0 .. 7");
    }
  }
}

struct Seen {
  Calls real;
  abi::hsa_queue_t* queue = nullptr;
  std::vector<std::uint32_t> headers;
};
Seen* seen = nullptr;

/// A packet is whole when the doorbell rings for it.
TEST_F(OnKernelQueue, EveryPacketFencesToTheSystemAndWaitsForThoseBefore) {
  Seen all{calls(), nullptr, {}};
  seen = &all;
  calls().hsa_queue_create = [](abi::hsa_agent_t agent, std::uint32_t size,
                                abi::hsa_queue_type32_t type, auto callback, void* data,
                                std::uint32_t private_bytes, std::uint32_t group_bytes,
                                abi::hsa_queue_t** queue) {
    const auto status = seen->real.hsa_queue_create(agent, size, type, callback, data,
                                                    private_bytes, group_bytes, queue);
    seen->queue = *queue;
    return status;
  };
  calls().hsa_signal_store_screlease = [](abi::hsa_signal_t signal, std::int64_t value) {
    if (seen->queue != nullptr && signal.handle == seen->queue->doorbell_signal.handle) {
      const auto* const ring = static_cast<const unsigned char*>(seen->queue->base_address);
      const auto at = static_cast<std::uint64_t>(value) % seen->queue->size * 64;
      std::uint16_t header = 0;
      std::memcpy(&header, ring + at, sizeof header);
      seen->headers.push_back(header);
    }
    seen->real.hsa_signal_store_screlease(signal, value);
  };
  auto* const data = device_memory<unsigned char>(1);
  const auto before = signal(0);
  {
    const auto queue = this->queue({.packets = 64});
    for (int i = 0; i < 20; ++i) {
      queue->launch({kWorkgroup, {}, std::span(&before, 1)}, SetArgs{data, 1, 1});
    }
    ASSERT_TRUE(queue->drain(kLong));
  }
  calls() = all.real;
  EXPECT_GE(all.headers.size(), 41u);
  for (auto& header : all.headers) {
    EXPECT_TRUE((header & 0xFFu) == abi::HSA_PACKET_TYPE_KERNEL_DISPATCH ||
                (header & 0xFFu) == abi::HSA_PACKET_TYPE_BARRIER_AND);
    header >>= 8;
  }
  EXPECT_THAT(all.headers, Each(0b10101u));  // barrier, acquire from and release to the system
}

}  // namespace
}  // namespace conccl::backend::hsa
