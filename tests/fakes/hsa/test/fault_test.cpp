// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// That each fault does what it says, and nothing else.
#include <dlfcn.h>

#include "tests/fakes/hsa/test/kernels_opened.hpp"

namespace conccl::test::fake_hsa {
namespace {

class FakeHsaFault : public KernelsOpened {
 protected:
  static constexpr std::size_t kBytes = 1'000;

  void SetUp() override {
    KernelsOpened::SetUp();
    from = device_memory(0, kBytes, 7);
  }
  /// How a copy into new memory ends, and what its first byte then is.
  std::pair<std::int64_t, int> outcome() {
    auto* const to = device_memory(1, kBytes);
    const auto done = signal();
    EXPECT_EQ(copy({to, from, kBytes, done}), HSA_STATUS_SUCCESS);
    const auto ended = wait(done, 20'000);
    return {ended, to[0]};
  }
  const std::pair<std::int64_t, int> fine{0, 7};

  unsigned char* from = nullptr;
};

TEST_F(FakeHsaFault, TheNthCopyFails) {
  control.set("fail_copy_at", 2);
  EXPECT_EQ(outcome(), fine);
  EXPECT_EQ(outcome(), std::pair(std::int64_t{-1}, 0));
  EXPECT_EQ(outcome(), fine);
  EXPECT_EQ(events.seen, 0);
  EXPECT_EQ(control.get("fail_copy_at"), 0);
}

TEST_F(FakeHsaFault, TheNthCompletionIsLostUntilTheResetWhileTheBytesArrive) {
  control.set("lose_completion_at", 2);
  EXPECT_EQ(outcome(), fine);
  auto* const to = device_memory(1, kBytes);
  const auto done = signal();
  EXPECT_EQ(copy({to, from, kBytes, done}), HSA_STATUS_SUCCESS);
  EXPECT_EQ(wait(done, 200), 1);
  EXPECT_EQ(control.get("running"), 0);
  EXPECT_EQ(control.get("bytes"), 2 * kBytes);
  EXPECT_EQ(outcome(), fine);
  control.reset();
  EXPECT_EQ(value(done), 0);
  EXPECT_EQ(to[0], 7);
}

TEST_F(FakeHsaFault, TheNthCopyRaisesAnEvent) {
  control.set("event_at", 1);
  EXPECT_EQ(outcome(), std::pair(std::int64_t{-1}, 0));
  EXPECT_EQ(events.seen, 1);
  EXPECT_EQ(outcome(), fine);
}

TEST_F(FakeHsaFault, TheNthSubmissionIsRefused) {
  control.set("fail_submit_at", 2);
  EXPECT_EQ(outcome(), fine);
  const auto done = signal();
  auto* const to = device_memory(1, kBytes);
  EXPECT_EQ(copy({to, from, kBytes, done}), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(value(done), 1);
  EXPECT_EQ(outcome(), fine);
  control.set("submit_status", "0x1000");
  control.set("fail_submit_at", 1);
  EXPECT_EQ(copy({to, from, kBytes, done}), HSA_STATUS_ERROR);
  EXPECT_EQ(control.get("copies"), 2);
}

TEST_F(FakeHsaFault, AnEngineHangsAndOthersDoNot) {
  control.set("hang_engine", 2);
  auto* const to = device_memory(1, kBytes);
  const auto hung = signal();
  ASSERT_EQ(copy({to, from, kBytes, hung, {}, 1, 0, 1U << 2U}), HSA_STATUS_SUCCESS);
  const auto done = signal();
  ASSERT_EQ(copy({to, from, kBytes, done, {}, 1, 0, 1U << 4U}), HSA_STATUS_SUCCESS);
  EXPECT_EQ(wait(done), 0);
  EXPECT_EQ(wait(hung, 50), 1);
  EXPECT_EQ(control.get("running"), 1);
  control.set("hang_engine", -1);
  EXPECT_EQ(wait(hung), 0);
}

TEST_F(FakeHsaFault, AShutDownEndsAnEngineThatHangs) {
  control.set("hang_engine", 2);
  const auto hung = signal();
  ASSERT_EQ(copy({device_memory(1, kBytes), from, kBytes, hung}), HSA_STATUS_SUCCESS);
  leave(hung);
  calls.hsa_queue_destroy(queue);
  queue = nullptr;
  close();
  EXPECT_EQ(control.get("signals"), 1) << "what was left stays counted";
  control.reset();
  KernelsOpened::SetUp();
  EXPECT_EQ(control.get("signals"), 0);
  from = device_memory(0, kBytes, 7);
  EXPECT_EQ(outcome(), fine);
}

TEST_F(FakeHsaFault, CopiesOfOneEngineOverlapUnlessADependencyForbidsIt) {
  control.set("overlap", 1);
  auto* const other = device_memory(0, kBytes, 8);
  for (const bool ordered : {false, true}) {
    auto* const to = device_memory(1, kBytes);
    const auto first = signal();
    const auto second = signal();
    const auto both = signal(1);
    ASSERT_EQ(copy({to, from, kBytes, first, {both}}), HSA_STATUS_SUCCESS);
    Asked next{to, other, kBytes, second, {both}};
    if (ordered) next.dependencies.push_back(first);
    ASSERT_EQ(copy(next), HSA_STATUS_SUCCESS);
    calls.hsa_signal_store_screlease(both, 0);
    EXPECT_EQ(wait(first), 0);
    EXPECT_EQ(wait(second), 0);
    EXPECT_EQ(to[0], ordered ? 8 : 7) << "unordered, the first copy arrives last";
  }
}

TEST_F(FakeHsaFault, GrantsAreDenied) {
  control.set("deny_access", 1);
  EXPECT_EQ(calls.hsa_amd_agents_allow_access(1, gpus.data(), nullptr, from), HSA_STATUS_ERROR);
}

TEST_F(FakeHsaFault, PeersAreNeverReached) {
  control.set("no_peer_access", 1);
  const auto peer = pool(gpus[1], HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
  hsa_amd_memory_pool_access_t access = HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT;
  ASSERT_EQ(calls.hsa_amd_agent_memory_pool_get_info(
                gpus[0], peer, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access),
            HSA_STATUS_SUCCESS);
  EXPECT_EQ(access, HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED);
  EXPECT_EQ(calls.hsa_amd_agents_allow_access(8, gpus.data(), nullptr, from), HSA_STATUS_ERROR);
  EXPECT_EQ(calls.hsa_amd_agents_allow_access(1, gpus.data(), nullptr, from), HSA_STATUS_SUCCESS);
}

TEST_F(FakeHsaFault, AllocationsAttachesAndQueuesAreRefused) {
  hsa_amd_ipc_memory_t handle{};
  ASSERT_EQ(calls.hsa_amd_ipc_memory_create(from, kBytes, &handle), HSA_STATUS_SUCCESS);
  control.set("refuse_allocation", 1);
  control.set("attach_fails", 1);
  control.set("queue_fails", 1);
  void* base = nullptr;
  EXPECT_EQ(calls.hsa_amd_memory_pool_allocate(
                pool(gpus[0], HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED), 1, 0, &base),
            HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_NE(calls.hsa_amd_ipc_memory_attach(&handle, kBytes, 0, nullptr, &base),
            HSA_STATUS_SUCCESS);
  hsa_queue_t* made = nullptr;
  EXPECT_EQ(
      calls.hsa_queue_create(gpus[0], 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &made),
      HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  control.reset();
  EXPECT_EQ(calls.hsa_amd_ipc_memory_attach(&handle, kBytes, 0, nullptr, &base),
            HSA_STATUS_SUCCESS);
  EXPECT_EQ(calls.hsa_amd_ipc_memory_detach(base), HSA_STATUS_SUCCESS);
}

TEST_F(FakeHsaFault, TheNthKernelFails) {
  control.set("kernel_fault_at", 2);
  auto* const data = device_memory(0, 1);
  run("conccl_set", backend::hsa::SetArgs{data, 1, 3});
  const auto done = signal();
  const auto dispatch = packet("conccl_set", backend::hsa::SetArgs{data, 1, 4}, done);
  put(&dispatch);
  ring();
  EXPECT_EQ(error(), HSA_STATUS_ERROR_EXCEPTION);
  EXPECT_EQ(data[0], 3);
  EXPECT_EQ(value(done), 1);
  EXPECT_EQ(control.get("kernels"), 1);
}

class FakeHsaWithout : public ::testing::TestWithParam<const char*> {};

TEST_P(FakeHsaWithout, LacksOneCallAndNoOther) {
  const auto path =
      std::string(CONCCL_FAKE_HSA_FOLDER "/libfake-hsa-without-") + GetParam() + ".so";
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
#define CONCCL_EXPECT(name) \
  EXPECT_EQ(::dlsym(library, #name) == nullptr, std::string(GetParam()) == #name) << #name;
  CONCCL_HSA_CALLS(CONCCL_EXPECT)
  CONCCL_HSA_ENGINE_CALLS(CONCCL_EXPECT)
  CONCCL_HSA_KERNEL_CALLS(CONCCL_EXPECT)
  CONCCL_HSA_OPTIONAL_CALLS(CONCCL_EXPECT)
#undef CONCCL_EXPECT
  const FakeHsa control(path);
  EXPECT_EQ(control.get("copies"), 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, FakeHsaWithout,
    ::testing::Values("hsa_amd_memory_async_copy_on_engine", "hsa_amd_memory_copy_engine_status",
                      "hsa_amd_memory_get_preferred_copy_engine", "hsa_amd_memory_async_batch_copy",
                      "hsa_amd_profiling_get_async_copy_time", "hsa_queue_create"));

}  // namespace
}  // namespace conccl::test::fake_hsa
