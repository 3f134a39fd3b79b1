// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The rules of copies on engines.
#include <array>

#include "tests/fakes/hsa/test/opened.hpp"

namespace conccl::test::fake_hsa {
namespace {

constexpr std::size_t kBytes = 100'000;

class FakeHsaCopy : public Opened {
 protected:
  void SetUp() override {
    open();
    to = device_memory(1, kBytes);
    from = device_memory(0, kBytes, 7);
  }

  unsigned char* to = nullptr;
  unsigned char* from = nullptr;
};

TEST_F(FakeHsaCopy, MovesTheBytesAndDecrementsTheSignalOnce) {
  const auto done = signal(3);
  ASSERT_EQ(copy({to, from, kBytes, done}), HSA_STATUS_SUCCESS);
  EXPECT_EQ(calls.hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_NE, 3, UINT64_MAX,
                                            HSA_WAIT_STATE_ACTIVE),
            2);
  EXPECT_EQ(to[0], 7);
  EXPECT_EQ(to[kBytes - 1], 7);
  EXPECT_EQ(control.get("copies"), 1);
  EXPECT_EQ(control.get("cu_copies"), 0);
  EXPECT_EQ(control.get("engine.0.2"), 1);
  EXPECT_EQ(control.get("bytes"), static_cast<std::int64_t>(kBytes));
}

TEST_F(FakeHsaCopy, TheGpuOfTheSourceRunsIt) {
  const auto done = signal();
  auto* const back = device_memory(0, kBytes);
  ASSERT_EQ(copy({back, to, kBytes, done, {}, 0, 1, 1U << 5U}), HSA_STATUS_SUCCESS);
  EXPECT_EQ(wait(done), 0);
  EXPECT_EQ(control.get("engine.1.5"), 1);
}

TEST_F(FakeHsaCopy, OfNothingSucceedsAndLeavesTheSignal) {
  const auto done = signal();
  EXPECT_EQ(copy({to, from, 0, done}), HSA_STATUS_SUCCESS);
  EXPECT_EQ(wait(done, 20), 1);
  EXPECT_EQ(control.get("copies"), 0);
}

TEST_F(FakeHsaCopy, AnEngineIsOneBitAndForPeersNotAHostFacingOne) {
  const auto done = signal();
  for (const std::uint32_t engine : {0U, 1U, 2U, 3U << 2U, 1U << 16U}) {
    EXPECT_EQ(copy({to, from, kBytes, done, {}, 1, 0, engine}), HSA_STATUS_ERROR_INVALID_ARGUMENT)
        << engine;
  }
  EXPECT_EQ(copy({to, from, kBytes, done, {}, 1, 0, 1U << 15U}), HSA_STATUS_SUCCESS);
  EXPECT_EQ(wait(done), 0);
}

TEST_F(FakeHsaCopy, DependenciesAreMetAtExactlyZero) {
  const auto first = signal(2);
  const auto second = signal(1);
  const auto done = signal();
  ASSERT_EQ(copy({to, from, kBytes, done, {first, second}}), HSA_STATUS_SUCCESS);
  calls.hsa_signal_store_screlease(second, 0);
  calls.hsa_signal_store_screlease(first, -1);
  EXPECT_EQ(wait(done, 30), 1);
  EXPECT_EQ(to[0], 0);
  calls.hsa_signal_store_screlease(first, 0);
  EXPECT_EQ(wait(done), 0);
  EXPECT_EQ(to[0], 7);
}

}  // namespace
}  // namespace conccl::test::fake_hsa
