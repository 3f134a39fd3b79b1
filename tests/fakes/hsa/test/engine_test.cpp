// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What engines say, how full they get, copies in batches and their times.
#include <bit>
#include <set>
#include <thread>

#include "tests/fakes/hsa/test/opened.hpp"

namespace conccl::test::fake_hsa {
namespace {

constexpr std::uint32_t kHostFacing = 0x3;
constexpr std::uint32_t kForPeers = 0xFFFC;

class FakeHsaEngine : public Opened {
 protected:
  static constexpr std::size_t kBytes = 10'000;

  void SetUp() override { start(); }
  void start() {
    open();
    to = device_memory(1, kBytes);
    from = device_memory(0, kBytes, 7);
  }
  std::uint32_t idle(hsa_agent_t dst, hsa_agent_t src, hsa_status_t expected = HSA_STATUS_SUCCESS) {
    std::uint32_t engines = 0xDEAD;
    EXPECT_EQ(calls.hsa_amd_memory_copy_engine_status(dst, src, &engines), expected);
    return engines;
  }
  std::uint32_t preferred(hsa_agent_t dst, hsa_agent_t src) {
    std::uint32_t engines = 0xDEAD;
    EXPECT_EQ(calls.hsa_amd_memory_get_preferred_copy_engine(dst, src, &engines),
              HSA_STATUS_SUCCESS);
    return engines;
  }
  hsa_amd_memory_copy_op_t op(hsa_signal_t done) {
    hsa_amd_memory_copy_op_t all{};
    all.version = 1;
    all.completion_signal = done;
    all.src = from;
    all.src_agent = gpus[0];
    all.dst_agent = gpus[1];
    all.dst = to;
    all.size = kBytes;
    return all;
  }

  unsigned char* to = nullptr;
  unsigned char* from = nullptr;
};

TEST_F(FakeHsaEngine, StatusTellsOfThoseThatAreIdleNow) {
  EXPECT_EQ(idle(gpus[1], gpus[0]), kForPeers);
  EXPECT_EQ(idle(gpus[1], cpus[0]), kHostFacing);
  const auto blocked = signal(1);
  const auto done = signal();
  ASSERT_EQ(copy({to, from, kBytes, done, {blocked}, 1, 0, 1U << 6U}), HSA_STATUS_SUCCESS);
  EXPECT_EQ(idle(gpus[1], gpus[0]), kForPeers & ~(1U << 6U));
  EXPECT_EQ(idle(gpus[0], gpus[1]), kForPeers);
  calls.hsa_signal_store_screlease(blocked, 0);
  EXPECT_EQ(wait(done), 0);
  EXPECT_EQ(idle(gpus[1], gpus[0]), kForPeers);
  idle(gpus[1], gpus[1], HSA_STATUS_ERROR_INVALID_AGENT);
}

TEST_F(FakeHsaEngine, BusyOnesAreToldAsNone) {
  control.set("busy", 1);
  EXPECT_EQ(idle(gpus[1], gpus[0], HSA_STATUS_ERROR_OUT_OF_RESOURCES), 0U);
  control.set("busy", 0);
  EXPECT_EQ(idle(gpus[1], gpus[0]), kForPeers);
}

TEST_F(FakeHsaEngine, EachPeerHasAnEvenPreferredOneOfItsOwn) {
  for (const auto src : gpus) {
    std::set<std::uint32_t> seen;
    for (const auto dst : gpus) {
      if (dst.handle == src.handle) continue;
      const auto one = preferred(dst, src);
      EXPECT_TRUE(std::has_single_bit(one));
      EXPECT_EQ(std::countr_zero(one) % 2, 0);
      EXPECT_NE(one & kForPeers, 0U);
      seen.insert(one);
    }
    EXPECT_EQ(seen.size(), 7U);
  }
  EXPECT_EQ(preferred(gpus[0], cpus[0]), 0U);
}

TEST_F(FakeHsaEngine, PreferredOnesCanBeManyOrNone) {
  control.set("preferred", "many");
  EXPECT_EQ(preferred(gpus[1], gpus[0]), kForPeers);
  control.set("preferred", 0);
  EXPECT_EQ(preferred(gpus[1], gpus[0]), 0U);
}

TEST_F(FakeHsaEngine, OneCopyMoreThanTheRingHoldsWaits) {
  close();
  control.set("ring", 2);
  start();
  const auto blocked = signal(1);
  const std::vector done{signal(), signal(), signal()};
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(copy({to, from, kBytes, done[static_cast<std::size_t>(i)], {blocked}}),
              HSA_STATUS_SUCCESS);
  }
  std::atomic<bool> submitted{false};
  std::thread third([&] {
    EXPECT_EQ(copy({to, from, kBytes, done[2]}), HSA_STATUS_SUCCESS);
    submitted = true;
  });
  EXPECT_EQ(wait(done[2], 50), 1);
  EXPECT_FALSE(submitted);
  calls.hsa_signal_store_screlease(blocked, 0);
  EXPECT_EQ(wait(done[2]), 0);
  third.join();
}

TEST_F(FakeHsaEngine, ABatchHasASignalPerCopy) {
  const auto met = signal(0);
  const std::vector done{signal(), signal(), signal()};
  std::vector ops{op(done[0]), op(done[1]), op(done[2])};
  ops[1].dst = to + 5'000;
  ops[1].size = 5'000;
  ops[2].size = 0;
  ASSERT_EQ(calls.hsa_amd_memory_async_batch_copy(ops.data(), 3, 1, &met), HSA_STATUS_SUCCESS);
  EXPECT_EQ(wait(done[0]), 0);
  EXPECT_EQ(wait(done[1]), 0);
  EXPECT_EQ(wait(done[2], 10), 1);
  EXPECT_EQ(control.get("copies"), 2);
  const auto id = std::countr_zero(preferred(gpus[1], gpus[0]));
  EXPECT_EQ(control.get("engine.0." + std::to_string(id)), 2);
  EXPECT_EQ(to[kBytes - 1], 7);
}

TEST_F(FakeHsaEngine, ABatchOfAnotherKindIsRefusedWhole) {
  const auto done = signal();
  std::vector ops{op(done), op(done)};
  const auto answer = [&] {
    return calls.hsa_amd_memory_async_batch_copy(ops.data(), 2, 0, nullptr);
  };
  ops[1].version = 2;
  EXPECT_EQ(answer(), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ops[1] = op(done);
  ops[1].signal[0] = 1;
  EXPECT_EQ(answer(), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ops[1] = op({});
  EXPECT_EQ(answer(), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(control.get("copies"), 0);
}

TEST_F(FakeHsaEngine, TimesAreKeptOnceAskedFor) {
  hsa_amd_profiling_async_copy_time_t time{};
  const auto time_of = [&](hsa_signal_t done) {
    return calls.hsa_amd_profiling_get_async_copy_time(done, &time);
  };
  const auto untimed = signal();
  ASSERT_EQ(copy({to, from, kBytes, untimed}), HSA_STATUS_SUCCESS);
  EXPECT_EQ(wait(untimed), 0);
  EXPECT_EQ(time_of(untimed), HSA_STATUS_ERROR);
  ASSERT_EQ(calls.hsa_amd_profiling_async_copy_enable(true), HSA_STATUS_SUCCESS);
  control.set("slow_copy_us", 20'000);
  const auto timed = signal();
  std::uint64_t before = 0;
  calls.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before);
  ASSERT_EQ(copy({to, from, kBytes, timed}), HSA_STATUS_SUCCESS);
  EXPECT_EQ(wait(timed), 0);
  ASSERT_EQ(time_of(timed), HSA_STATUS_SUCCESS);
  EXPECT_GE(time.start, before);
  EXPECT_GE(time.end - time.start, 20 * kTicksPerMillisecond);
}

}  // namespace
}  // namespace conccl::test::fake_hsa
