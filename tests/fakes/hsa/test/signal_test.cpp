// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Signals, and what would corrupt memory under the real runtime, which ends the process here.
#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/fakes/hsa/test/opened.hpp"

namespace conccl::test::fake_hsa {
namespace {

using Clock = std::chrono::steady_clock;

class FakeHsaSignal : public Opened {
 protected:
  void SetUp() override { open(); }
};

TEST_F(FakeHsaSignal, AWaitEndsWithItsTimeInTicks) {
  const auto one = signal(1);
  const auto start = Clock::now();
  EXPECT_EQ(wait(one, 30), 1);
  const auto took = Clock::now() - start;
  EXPECT_GE(took, std::chrono::milliseconds(30));
  EXPECT_LT(took, std::chrono::seconds(20));
}

TEST_F(FakeHsaSignal, EachConditionIsMetByWhatItSays) {
  const auto one = signal(1);
  const auto met_by = [&](std::int64_t next, hsa_signal_condition_t condition,
                          std::int64_t compare) {
    std::thread storer([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      calls.hsa_signal_store_screlease(one, next);
    });
    const auto seen = calls.hsa_signal_wait_scacquire(one, condition, compare, UINT64_MAX,
                                                      HSA_WAIT_STATE_BLOCKED);
    storer.join();
    return seen;
  };
  EXPECT_EQ(met_by(5, HSA_SIGNAL_CONDITION_NE, 1), 5);
  EXPECT_EQ(met_by(-2, HSA_SIGNAL_CONDITION_LT, -1), -2);
  EXPECT_EQ(met_by(9, HSA_SIGNAL_CONDITION_EQ, 9), 9);
  EXPECT_EQ(met_by(12, HSA_SIGNAL_CONDITION_GTE, 11), 12);
}

TEST_F(FakeHsaSignal, AreCountedWhileAlive) {
  hsa_signal_t one{};
  ASSERT_EQ(calls.hsa_signal_create(1, 2, gpus.data(), &one), HSA_STATUS_SUCCESS);
  EXPECT_EQ(control.get("signals"), 1);
  EXPECT_EQ(calls.hsa_signal_destroy(one), HSA_STATUS_SUCCESS);
  EXPECT_EQ(calls.hsa_signal_destroy(one), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(control.get("signals"), 0);
}

TEST_F(FakeHsaSignal, AHandleNeverMeansAnotherSignal) {
  hsa_signal_t old{};
  ASSERT_EQ(calls.hsa_signal_create(1, 0, nullptr, &old), HSA_STATUS_SUCCESS);
  ASSERT_EQ(calls.hsa_signal_destroy(old), HSA_STATUS_SUCCESS);
  const auto next = signal(1);
  EXPECT_NE(next.handle, old.handle);
  auto* const to = device_memory(1, 100);
  auto* const from = device_memory(0, 100);
  EXPECT_EQ(copy({to, from, 100, old}), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(copy({to, from, 100, next, {old}}), HSA_STATUS_ERROR_INVALID_SIGNAL);
}

class FakeHsaDeathTest : public Opened {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    open();
    to = device_memory(1, 100);
    from = device_memory(0, 100);
  }
  unsigned char* to = nullptr;
  unsigned char* from = nullptr;
};

TEST_F(FakeHsaDeathTest, MoreThanFiveDependencies) {
  std::vector<hsa_signal_t> six;
  for (int i = 0; i < 6; ++i) six.push_back(signal(0));
  const auto done = signal();
  EXPECT_DEATH(static_cast<void>(copy({to, from, 100, done, six})), "more than 5 dependencies");
  six.pop_back();
  ASSERT_EQ(copy({to, from, 100, done, six}), HSA_STATUS_SUCCESS);
  EXPECT_EQ(wait(done), 0);
}

TEST_F(FakeHsaDeathTest, DestroyingASignalThatACopyWaitsForOrWillSignal) {
  const auto blocked = signal(1);
  const auto done = signal();
  ASSERT_EQ(copy({to, from, 100, done, {blocked}}), HSA_STATUS_SUCCESS);
  EXPECT_DEATH(calls.hsa_signal_destroy(done), "still uses the signal");
  EXPECT_DEATH(calls.hsa_signal_destroy(blocked), "still uses the signal");
  calls.hsa_signal_store_screlease(blocked, 0);
  EXPECT_EQ(wait(done), 0);
}

TEST_F(FakeHsaDeathTest, UsingASignalThatIsGone) {
  EXPECT_DEATH(
      {
        const auto gone = signal();
        calls.hsa_signal_destroy(gone);
        calls.hsa_signal_load_scacquire(gone);
      },
      "does not exist");
}

TEST_F(FakeHsaDeathTest, AProcessMayEndWithCopiesUnderWay) {
  EXPECT_EXIT(
      {
        const auto never = signal(1);
        for (int i = 0; i < 3; ++i) static_cast<void>(copy({to, from, 100, signal(), {never}}));
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(FakeHsaDeathTest, AMemoryFaultThatNoHandlerTakes) {
  grant(to, {gpus[2]});
  EXPECT_DEATH(
      {
        const auto done = signal();
        static_cast<void>(copy({to, from, 100, done}));
        wait(done);
        std::this_thread::sleep_for(std::chrono::seconds(20));
      },
      "memory access fault by a GPU");
}

}  // namespace
}  // namespace conccl::test::fake_hsa
