// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Memory that processes share.
#include <algorithm>
#include <csignal>

#include "tests/cli/subprocess.hpp"
#include "tests/fakes/hsa/test/handle_text.hpp"
#include "tests/fakes/hsa/test/opened.hpp"

namespace conccl::test::fake_hsa {
namespace {

constexpr std::chrono::seconds kLimit{60};

class FakeHsaExchange : public Opened {
 protected:
  static constexpr std::size_t kBytes = 9'000;

  void SetUp() override { open(); }

  hsa_status_t attach(const hsa_amd_ipc_memory_t& handle, std::size_t bytes = kBytes) {
    return calls.hsa_amd_ipc_memory_attach(&handle, bytes, 2, gpus.data(), &attached);
  }
  hsa_amd_ipc_memory_t exported(void* base) {
    hsa_amd_ipc_memory_t handle{};
    EXPECT_EQ(calls.hsa_amd_ipc_memory_create(base, kBytes, &handle), HSA_STATUS_SUCCESS);
    return handle;
  }
  static Invocation exporter() {
    return {CONCCL_FAKE_HSA_PEER, {"export", std::to_string(kBytes)}, {}};
  }
  static Invocation importer(const hsa_amd_ipc_memory_t& handle) {
    return {CONCCL_FAKE_HSA_PEER, {"import", to_text(handle), std::to_string(kBytes)}, {}};
  }
  /// What an exporter has said.
  static hsa_amd_ipc_memory_t handle_from(Process& peer) {
    EXPECT_TRUE(peer.wait_for_line({"handle"}, kLimit));
    const auto at = peer.output().find("handle ") + 7;
    return to_handle(peer.output().substr(at, 64));
  }

  Events events;
  void* attached = nullptr;
};

TEST_F(FakeHsaExchange, AnotherProcessPushesIntoExportedMemory) {
  auto* const base = device_memory(1, kBytes, 5);
  Process peer(importer(exported(base)));
  ASSERT_TRUE(peer.wait_for_line({"attached"}, kLimit));
  peer.send_signal(SIGUSR1);
  EXPECT_TRUE(peer.wait_for_line({"first 5"}, kLimit));
  EXPECT_TRUE(peer.wait_for_line({"pushed"}, kLimit));
  EXPECT_EQ(peer.finish(kLimit).exit_code, 0);
  EXPECT_TRUE(std::all_of(base, base + kBytes, [](unsigned char byte) { return byte == 9; }));
}

TEST_F(FakeHsaExchange, ImportedMemoryOutlivesTheExportersOwn) {
  Process peer(exporter());
  const auto handle = handle_from(peer);
  ASSERT_EQ(attach(handle), HSA_STATUS_SUCCESS);
  EXPECT_EQ(control.get("imports"), 1);
  peer.send_signal(SIGUSR1);
  ASSERT_TRUE(peer.wait_for_line({"freed"}, kLimit));
  auto* const mine = device_memory(0, kBytes);
  const auto done = signal();
  ASSERT_EQ(copy({mine, attached, kBytes, done, {}, 0, 1}), HSA_STATUS_SUCCESS);
  EXPECT_EQ(wait(done), 0);
  EXPECT_EQ(mine[kBytes - 1], 5);
  void* const kept = attached;
  EXPECT_EQ(attach(handle), HSA_STATUS_ERROR_INVALID_ARGUMENT) << "the exporter has freed it";
  EXPECT_EQ(calls.hsa_amd_ipc_memory_detach(kept), HSA_STATUS_SUCCESS);
  EXPECT_EQ(calls.hsa_amd_ipc_memory_detach(kept), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(control.get("imports"), 0);
}

TEST_F(FakeHsaExchange, NothingIsAttachedOfAProcessThatIsGone) {
  hsa_amd_ipc_memory_t handle{};
  {
    Process peer(exporter());
    handle = handle_from(peer);
  }
  EXPECT_EQ(attach(handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(FakeHsaExchange, AHandleNeverMeansMemoryAllocatedLater) {
  const auto from = pool(gpus[1], HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
  void* base = nullptr;
  ASSERT_EQ(calls.hsa_amd_memory_pool_allocate(from, kBytes, 0, &base), HSA_STATUS_SUCCESS);
  const auto handle = exported(base);
  ASSERT_EQ(calls.hsa_amd_memory_pool_free(base), HSA_STATUS_SUCCESS);
  static_cast<void>(device_memory(1, kBytes));
  EXPECT_EQ(attach(handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(FakeHsaExchange, FreedMemoryThatACopyStillUsesIsNotAttached) {
  control.set("slow_copy_us", 60'000'000);
  const auto from = pool(gpus[0], HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
  void* base = nullptr;
  ASSERT_EQ(calls.hsa_amd_memory_pool_allocate(from, kBytes, 0, &base), HSA_STATUS_SUCCESS);
  const auto handle = exported(base);
  const auto done = signal();
  ASSERT_EQ(copy({base, device_memory(0, kBytes), kBytes, done, {}, 0, 0}), HSA_STATUS_SUCCESS);
  EXPECT_EQ(wait(done, 50), 1);
  ASSERT_EQ(calls.hsa_amd_memory_pool_free(base), HSA_STATUS_SUCCESS);
  EXPECT_EQ(attach(handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  control.set("slow_copy_us", 0);
  EXPECT_EQ(wait(done), 0);
}

TEST_F(FakeHsaExchange, AHandleIsOfAWholeAllocationFromItsBase) {
  auto* const base = device_memory(1, kBytes);
  hsa_amd_ipc_memory_t handle{};
  const auto create = [&](void* from, std::size_t bytes) {
    return calls.hsa_amd_ipc_memory_create(from, bytes, &handle);
  };
  EXPECT_EQ(create(base + 4096, kBytes - 4096), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(base, kBytes - 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(host_memory(kBytes), kBytes), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(create(base, kBytes), HSA_STATUS_SUCCESS);
  EXPECT_EQ(attach(handle, kBytes - 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(attach({}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(FakeHsaExchange, ImportedMemoryIsReachedByTheAgentsItWasAttachedFor) {
  ASSERT_EQ(calls.hsa_amd_register_system_event_handler(note_event, &events), HSA_STATUS_SUCCESS);
  ASSERT_EQ(attach(exported(device_memory(3, kBytes, 5))), HSA_STATUS_SUCCESS);
  auto* const mine = device_memory(2, kBytes);
  const std::vector done{signal(), signal()};
  ASSERT_EQ(copy({mine, attached, kBytes, done[0], {}, 2, 1}), HSA_STATUS_SUCCESS);
  EXPECT_EQ(wait(done[0]), 0);
  ASSERT_EQ(copy({mine, attached, kBytes, done[1], {}, 0, 3}), HSA_STATUS_SUCCESS);
  EXPECT_LT(wait(done[1]), 0);
  EXPECT_EQ(events.seen, 1);
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  ASSERT_EQ(calls.hsa_amd_pointer_info(attached, &info, nullptr, nullptr, nullptr),
            HSA_STATUS_SUCCESS);
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_IPC);
  EXPECT_EQ(info.sizeInBytes, kBytes);
  EXPECT_EQ(info.agentOwner.handle, gpus[3].handle);
  EXPECT_NE(calls.hsa_amd_agents_allow_access(1, gpus.data(), nullptr, attached),
            HSA_STATUS_SUCCESS);
}

}  // namespace
}  // namespace conccl::test::fake_hsa
