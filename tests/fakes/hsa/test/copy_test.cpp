// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The rules of copies on engines.
#include <thread>

#include "tests/fakes/hsa/test/opened.hpp"

namespace conccl::test::fake_hsa {
namespace {

/// What a program must not do: to look at a byte that a copy under way writes, or change one that
/// it reads.
__attribute__((no_sanitize("thread"))) unsigned char peek(const unsigned char* byte) {
  return *static_cast<const volatile unsigned char*>(byte);
}

__attribute__((no_sanitize("thread"))) void poke(unsigned char* byte, unsigned char value) {
  *static_cast<volatile unsigned char*>(byte) = value;
}

class FakeHsaCopy : public Opened {
 protected:
  static constexpr std::size_t kBytes = 100'000;

  void SetUp() override { start(); }
  void start() {
    open();
    to = device_memory(1, kBytes);
    from = device_memory(0, kBytes, 7);
  }
  void restart() {
    close();
    start();
  }
  /// What the call says to a copy from GPU 0 to GPU 1 on that engine; waits for its end.
  hsa_status_t answer(std::uint32_t engine) {
    const auto done = signal();
    const auto status = copy({to, from, kBytes, done, {}, 1, 0, engine});
    if (status == HSA_STATUS_SUCCESS) {
      EXPECT_EQ(wait(done), 0);
    }
    return status;
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
  EXPECT_EQ(control.get("running"), 0);
  EXPECT_EQ(control.get("engine.0.2"), 1);
  EXPECT_EQ(control.get("bytes"), static_cast<std::int64_t>(kBytes));
}

TEST_F(FakeHsaCopy, TheGpuOfTheSourceRunsIt) {
  const auto done = signal();
  auto* const back = device_memory(0, kBytes);
  ASSERT_EQ(copy({back, to, kBytes, done, {}, 0, 1, 1U << 5U}), HSA_STATUS_SUCCESS);
  EXPECT_EQ(wait(done), 0);
  EXPECT_EQ(control.get("engine.1.5"), 1);
  EXPECT_EQ(control.get("engine.0.5"), 0);
}

TEST_F(FakeHsaCopy, TheGpuOfTheDestinationRunsItWhenTheSourceIsTheHost) {
  auto* const host = static_cast<unsigned char*>(host_memory(kBytes));
  const auto done = signal();
  ASSERT_EQ(
      calls.hsa_amd_memory_async_copy_on_engine(to, gpus[1], host, cpus[0], kBytes, 0, nullptr,
                                                done, hsa_amd_sdma_engine_id_t{1}, true),
      HSA_STATUS_SUCCESS);
  EXPECT_EQ(wait(done), 0);
  EXPECT_EQ(control.get("engine.1.0"), 1);
  EXPECT_EQ(calls.hsa_amd_memory_async_copy_on_engine(host, cpus[0], host, cpus[0], 1, 0, nullptr,
                                                      done, hsa_amd_sdma_engine_id_t{1}, true),
            HSA_STATUS_ERROR_INVALID_AGENT);
}

TEST_F(FakeHsaCopy, OfNothingSucceedsAndLeavesTheSignal) {
  const auto done = signal();
  EXPECT_EQ(copy({to, from, 0, done}), HSA_STATUS_SUCCESS);
  EXPECT_EQ(wait(done, 20), 1);
  EXPECT_EQ(control.get("copies"), 0);
}

TEST_F(FakeHsaCopy, AnEngineIsOneBitAndForPeersNotAHostFacingOne) {
  for (const std::uint32_t engine : {0U, 1U, 2U, 3U << 2U, 1U << 16U}) {
    EXPECT_EQ(answer(engine), HSA_STATUS_ERROR_INVALID_ARGUMENT) << engine;
  }
  EXPECT_EQ(answer(1U << 15U), HSA_STATUS_SUCCESS);
}

TEST_F(FakeHsaCopy, WithSixEnginesForPeersTheHostFacingOnesServeThemToo) {
  control.set("xgmi", 6);
  restart();
  EXPECT_EQ(answer(1U << 1U), HSA_STATUS_SUCCESS);
  EXPECT_EQ(answer(1U << 8U), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  control.set("xgmi", 8);
  restart();
  EXPECT_EQ(answer(1U << 1U), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(FakeHsaCopy, OnGfx90aTheFirstEngineOnlyTakesFromTheHost) {
  control.set("isa", "gfx90a");
  restart();
  auto* const host = static_cast<unsigned char*>(host_memory(kBytes));
  const auto done = signal(2);
  const auto first = hsa_amd_sdma_engine_id_t{1};
  EXPECT_EQ(calls.hsa_amd_memory_async_copy_on_engine(host, cpus[0], from, gpus[0], kBytes, 0,
                                                      nullptr, done, first, true),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(calls.hsa_amd_memory_async_copy_on_engine(from, gpus[0], host, cpus[0], kBytes, 0,
                                                      nullptr, done, first, true),
            HSA_STATUS_SUCCESS);
  EXPECT_EQ(calls.hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 1, UINT64_MAX,
                                            HSA_WAIT_STATE_BLOCKED),
            1);
}

TEST_F(FakeHsaCopy, DependenciesAreNoneAndNullOrSomeAndAList) {
  const auto done = signal();
  const auto met = signal(0);
  const auto ask = [&](std::uint32_t count, const hsa_signal_t* list) {
    return calls.hsa_amd_memory_async_copy_on_engine(to, gpus[1], from, gpus[0], kBytes, count,
                                                     list, done, hsa_amd_sdma_engine_id_t{4}, true);
  };
  EXPECT_EQ(ask(0, &met), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(ask(1, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(ask(1, &met), HSA_STATUS_SUCCESS);
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
  EXPECT_EQ(control.get("running"), 1);
  calls.hsa_signal_store_screlease(first, 0);
  EXPECT_EQ(wait(done), 0);
  EXPECT_EQ(to[0], 7);
}

TEST_F(FakeHsaCopy, TheDestinationChangesOnlyAtTheEndAndTheSourceIsReadAtTheStart) {
  control.set("slow_copy_us", 60'000'000);
  const auto done = signal();
  ASSERT_EQ(copy({to, from, kBytes, done}), HSA_STATUS_SUCCESS);
  EXPECT_EQ(wait(done, 50), 1);
  EXPECT_EQ(peek(to), 0);
  EXPECT_EQ(peek(to + kBytes - 1), 0);
  poke(from, 1);
  control.set("slow_copy_us", 0);
  EXPECT_EQ(wait(done), 0);
  EXPECT_EQ(to[0], 7);
  EXPECT_EQ(to[kBytes - 1], 7);
}

TEST_F(FakeHsaCopy, WithinAGpuAKernelDoesItUnlessForced) {
  auto* const other = device_memory(0, kBytes);
  for (const bool forced : {false, true}) {
    const auto done = signal();
    ASSERT_EQ(copy({other, from, kBytes, done, {}, 0, 0, 1U << 3U, forced}), HSA_STATUS_SUCCESS);
    EXPECT_EQ(wait(done), 0);
    EXPECT_EQ(control.get("cu_copies"), 1);
    EXPECT_EQ(control.get("engine.0.3"), forced ? 1 : 0);
  }
}

TEST_F(FakeHsaCopy, AnEngineMayBeAKernelWithoutAWord) {
  control.set("cu_engine", 4);
  EXPECT_EQ(answer(1U << 4U), HSA_STATUS_SUCCESS);
  EXPECT_EQ(control.get("cu_copies"), 1);
  EXPECT_EQ(answer(1U << 6U), HSA_STATUS_SUCCESS);
  EXPECT_EQ(control.get("cu_copies"), 1);
  EXPECT_EQ(control.get("copies"), 2);
}

class FakeHsaVariable : public FakeHsaCopy,
                        public ::testing::WithParamInterface<std::pair<const char*, bool>> {
 protected:
  ~FakeHsaVariable() override { ::unsetenv(GetParam().first); }
};

TEST_P(FakeHsaVariable, MakesCopiesRunOnAKernelWithoutAWord) {
  const auto [name, of_the_host_too] = GetParam();
  ::setenv(name, "0", 1);
  restart();
  EXPECT_EQ(answer(1U << 4U), HSA_STATUS_SUCCESS);
  EXPECT_EQ(to[0], 7);
  EXPECT_EQ(control.get("cu_copies"), 1);
  EXPECT_EQ(control.get("engine.0.4"), 0);
  auto* const host = static_cast<unsigned char*>(host_memory(kBytes));
  const auto done = signal();
  ASSERT_EQ(
      calls.hsa_amd_memory_async_copy_on_engine(host, cpus[0], from, gpus[0], kBytes, 0, nullptr,
                                                done, hsa_amd_sdma_engine_id_t{1}, true),
      HSA_STATUS_SUCCESS);
  EXPECT_EQ(wait(done), 0);
  EXPECT_EQ(control.get("cu_copies"), of_the_host_too ? 2 : 1);
}

INSTANTIATE_TEST_SUITE_P(All, FakeHsaVariable,
                         ::testing::Values(std::pair{"HSA_ENABLE_SDMA", true},
                                           std::pair{"HSA_ENABLE_PEER_SDMA", false}));

TEST_F(FakeHsaCopy, ReversedByAVariableTheDestinationRunsIt) {
  ::setenv("HSA_REV_COPY_DIR", "1", 1);
  restart();
  ::unsetenv("HSA_REV_COPY_DIR");
  EXPECT_EQ(answer(1U << 4U), HSA_STATUS_SUCCESS);
  EXPECT_EQ(control.get("engine.1.4"), 1);
}

TEST_F(FakeHsaCopy, EnginesAreRecommendedUnlessAVariableForbidsIt) {
  for (const bool forbidden : {false, true}) {
    if (forbidden) ::setenv("HSA_ENABLE_SDMA_RECOMMENDED_ENG", "0", 1);
    restart();
    ::unsetenv("HSA_ENABLE_SDMA_RECOMMENDED_ENG");
    std::uint32_t engines = 0xDEAD;
    EXPECT_EQ(calls.hsa_amd_memory_get_preferred_copy_engine(gpus[1], gpus[0], &engines),
              HSA_STATUS_SUCCESS);
    EXPECT_EQ(engines == 0, forbidden);
  }
}

}  // namespace
}  // namespace conccl::test::fake_hsa
