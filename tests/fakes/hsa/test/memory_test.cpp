// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The rules of memory and of who may touch it.
#include <algorithm>
#include <cstdlib>

#include "tests/fakes/hsa/test/opened.hpp"

namespace conccl::test::fake_hsa {
namespace {

class FakeHsaMemory : public Opened {
 protected:
  static constexpr std::size_t kBytes = 5'000;

  void SetUp() override {
    open();
    ASSERT_EQ(calls.hsa_amd_register_system_event_handler(note_event, &events), HSA_STATUS_SUCCESS);
  }
  hsa_amd_pointer_info_t info_of(const void* address) {
    hsa_amd_pointer_info_t info{};
    info.size = sizeof info;
    EXPECT_EQ(calls.hsa_amd_pointer_info(address, &info, nullptr, nullptr, nullptr),
              HSA_STATUS_SUCCESS);
    return info;
  }
  /// How a copy between GPUs 0 and 1 ends, that GPU 0 runs.
  std::int64_t outcome(void* dst, const void* src, std::size_t bytes = kBytes) {
    const auto done = signal();
    EXPECT_EQ(copy({dst, src, bytes, done}), HSA_STATUS_SUCCESS);
    return wait(done);
  }

  Events events;
};

TEST_F(FakeHsaMemory, ACopyNeedsBothSidesGranted) {
  auto* const from = device_memory(0, kBytes, 7);
  auto* const to = device_memory(1, kBytes);
  grant(to, {gpus[2], gpus[3]});
  EXPECT_LT(outcome(to, from), 0);
  EXPECT_EQ(to[0], 0);
  EXPECT_EQ(events.seen, 1);
  EXPECT_EQ(events.address, reinterpret_cast<std::uint64_t>(to));
  EXPECT_EQ(events.agent, gpus[0].handle);
  grant(to, {gpus[0]});
  EXPECT_EQ(outcome(to, from), 0);
  EXPECT_EQ(to[0], 7);
  EXPECT_EQ(events.seen, 1);
}

TEST_F(FakeHsaMemory, AGrantReplacesTheListAndTheOwnerStays) {
  auto* const base = device_memory(1, kBytes);
  grant(base, {gpus[0]});
  grant(base, {gpus[2]});
  std::uint32_t count = 0;
  hsa_agent_t* list = nullptr;
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  ASSERT_EQ(calls.hsa_amd_pointer_info(base, &info, std::malloc, &count, &list),
            HSA_STATUS_SUCCESS);
  std::vector<std::uint64_t> found;
  for (std::uint32_t i = 0; i < count; ++i) found.push_back(list[i].handle);
  std::free(list);
  EXPECT_EQ(found, (std::vector{gpus[1].handle, gpus[2].handle}));
}

TEST_F(FakeHsaMemory, AGrantWantsTheBaseAndNoFlags) {
  auto* const base = device_memory(1, kBytes);
  const std::uint32_t flags = 0;
  const auto grant_to = [&](std::uint32_t count, const std::uint32_t* with, const void* address) {
    return calls.hsa_amd_agents_allow_access(count, gpus.data(), with, address);
  };
  EXPECT_EQ(grant_to(1, nullptr, base + 1), HSA_STATUS_ERROR);
  EXPECT_EQ(grant_to(1, &flags, base), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(grant_to(0, nullptr, base), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(grant_to(1, nullptr, base), HSA_STATUS_SUCCESS);
}

TEST_F(FakeHsaMemory, ACopyBeyondTheEndFaults) {
  auto* const from = device_memory(0, kBytes, 7);
  auto* const to = device_memory(1, kBytes);
  EXPECT_LT(outcome(to + 1, from), 0);
  EXPECT_LT(outcome(to, from + 1), 0);
  EXPECT_EQ(events.seen, 2);
  EXPECT_TRUE(std::all_of(to, to + kBytes, [](unsigned char byte) { return byte == 0; }));
}

TEST_F(FakeHsaMemory, HostMemoryIsReachedOnceLocked) {
  std::vector<unsigned char> host(kBytes, 9);
  auto* const to = device_memory(0, kBytes);
  const auto done = signal();
  const auto push = [&](hsa_signal_t completion) {
    return calls.hsa_amd_memory_async_copy_on_engine(to, gpus[0], host.data(), cpus[0], kBytes, 0,
                                                     nullptr, completion,
                                                     hsa_amd_sdma_engine_id_t{1}, true);
  };
  ASSERT_EQ(push(done), HSA_STATUS_SUCCESS);
  EXPECT_LT(wait(done), 0);
  void* agent_pointer = nullptr;
  ASSERT_EQ(calls.hsa_amd_memory_lock(host.data(), kBytes, gpus.data(), 1, &agent_pointer),
            HSA_STATUS_SUCCESS);
  EXPECT_EQ(control.get("locked"), 1);
  EXPECT_EQ(info_of(agent_pointer).type, HSA_EXT_POINTER_TYPE_LOCKED);
  const auto again = signal();
  ASSERT_EQ(push(again), HSA_STATUS_SUCCESS);
  EXPECT_EQ(wait(again), 0);
  EXPECT_EQ(to[kBytes - 1], 9);
  EXPECT_EQ(calls.hsa_amd_memory_unlock(host.data()), HSA_STATUS_SUCCESS);
  EXPECT_EQ(calls.hsa_amd_memory_unlock(host.data()), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(control.get("locked"), 0);
}

TEST_F(FakeHsaMemory, PointersAreDescribedFromAnyByte) {
  auto* const base = device_memory(1, kBytes);
  const auto info = info_of(base + kBytes - 1);
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_HSA);
  EXPECT_EQ(info.agentBaseAddress, base);
  EXPECT_EQ(info.sizeInBytes, kBytes);
  EXPECT_EQ(info.agentOwner.handle, gpus[1].handle);
  EXPECT_EQ(info.global_flags, std::uint32_t{HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED});
  EXPECT_EQ(info_of(&events).type, HSA_EXT_POINTER_TYPE_UNKNOWN);
  // No more is written than the caller's structure holds.
  hsa_amd_pointer_info_t small{};
  small.size = offsetof(hsa_amd_pointer_info_t, sizeInBytes);
  small.sizeInBytes = 12345;
  ASSERT_EQ(calls.hsa_amd_pointer_info(base, &small, nullptr, nullptr, nullptr),
            HSA_STATUS_SUCCESS);
  EXPECT_EQ(small.agentBaseAddress, base);
  EXPECT_EQ(small.sizeInBytes, 12345U);
}

TEST_F(FakeHsaMemory, PoolsRefuseWhatTheyCannotGive) {
  const auto from = pool(gpus[0], HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
  void* base = nullptr;
  const auto allocate = [&](hsa_amd_memory_pool_t wanted, std::size_t bytes) {
    return calls.hsa_amd_memory_pool_allocate(wanted, bytes, 0, &base);
  };
  std::size_t bytes = 0;
  ASSERT_EQ(calls.hsa_amd_memory_pool_get_info(from, HSA_AMD_MEMORY_POOL_INFO_SIZE, &bytes),
            HSA_STATUS_SUCCESS);
  EXPECT_EQ(allocate(from, bytes + 1), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(allocate(from, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(allocate({1}, 1), HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  ASSERT_EQ(allocate(from, bytes), HSA_STATUS_SUCCESS);
  EXPECT_EQ(allocate(from, 1), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  auto* const inside = static_cast<unsigned char*>(info_of(base).agentBaseAddress) + 1;
  EXPECT_EQ(calls.hsa_amd_memory_pool_free(inside), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(control.get("allocations"), 1);
  EXPECT_EQ(calls.hsa_amd_memory_pool_free(info_of(inside).agentBaseAddress), HSA_STATUS_SUCCESS);
  EXPECT_EQ(control.get("allocations"), 0);
}

TEST_F(FakeHsaMemory, WhatIsFreedIsReachedNoMore) {
  auto* const from = device_memory(0, kBytes, 7);
  void* base = nullptr;
  ASSERT_EQ(calls.hsa_amd_memory_pool_allocate(
                pool(gpus[0], HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED), kBytes, 0, &base),
            HSA_STATUS_SUCCESS);
  ASSERT_EQ(calls.hsa_amd_memory_pool_free(base), HSA_STATUS_SUCCESS);
  EXPECT_LT(outcome(base, from), 0);
  EXPECT_EQ(events.seen, 1);
}

}  // namespace
}  // namespace conccl::test::fake_hsa
