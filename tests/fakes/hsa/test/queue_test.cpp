// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Queues of kernels, their packets and code objects.
#include <array>
#include <thread>

#include "tests/fakes/hsa/test/kernels_opened.hpp"

namespace conccl::test::fake_hsa {
namespace {

using backend::hsa::SetArgs;

class FakeHsaQueue : public KernelsOpened {
 protected:
  hsa_kernel_dispatch_packet_t set_packet(unsigned char* data, std::uint64_t value,
                                          hsa_signal_t done, bool barrier = true) {
    return packet("conccl_set", SetArgs{data, 1, value}, done, barrier);
  }
  /// What becomes of a dispatch with one thing changed.
  template <typename Change>
  std::uint32_t error_of(Change change) {
    auto dispatch = set_packet(device_memory(0, 1), 1, {});
    change(dispatch);
    put(&dispatch);
    ring();
    return error();
  }
};

TEST_F(FakeHsaQueue, RunsPacketsInOrderAndAroundItsEnd) {
  auto* const data = device_memory(0, 8);
  const auto done = signal(200);
  const auto dispatch = set_packet(data, 5, done);
  for (std::uint64_t i = 0; i < 200; ++i) {
    while (calls.hsa_queue_load_write_index_relaxed(queue) -
               calls.hsa_queue_load_read_index_scacquire(queue) >=
           queue->size) {
      std::this_thread::yield();
    }
    put(&dispatch);
    ring();
  }
  EXPECT_EQ(calls.hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX,
                                            HSA_WAIT_STATE_BLOCKED),
            0);
  EXPECT_EQ(calls.hsa_queue_load_read_index_scacquire(queue), 200U);
  EXPECT_EQ(control.get("kernels"), 200);
  EXPECT_EQ(data[0], 5);
}

TEST_F(FakeHsaQueue, ABarrierPacketHoldsBackWhatFollows) {
  auto* const data = device_memory(0, 1);
  const auto first = signal(1);
  const auto second = signal(1);
  const auto passed = signal();
  const auto done = signal();
  hsa_barrier_and_packet_t barrier{};
  barrier.header = HSA_PACKET_TYPE_BARRIER_AND;
  barrier.dep_signal[0] = first;
  barrier.dep_signal[4] = second;
  barrier.completion_signal = passed;
  const auto dispatch = set_packet(data, 5, done);
  put(&barrier);
  put(&dispatch);
  ring();
  calls.hsa_signal_store_screlease(first, 0);
  EXPECT_EQ(wait(done, 30), 1);
  EXPECT_EQ(value(passed), 1);
  calls.hsa_signal_store_screlease(second, 0);
  EXPECT_EQ(wait(done), 0);
  EXPECT_EQ(value(passed), 0);
  EXPECT_EQ(data[0], 5);
}

TEST_F(FakeHsaQueue, WaitsForAHeaderThatTheDoorbellIsAheadOf) {
  auto* const data = device_memory(0, 2);
  const auto done = signal(2);
  const auto dispatch = set_packet(data, 5, done);
  hsa_kernel_dispatch_packet_t unfinished = dispatch;
  unfinished.header = HSA_PACKET_TYPE_INVALID;
  put(&unfinished);
  put(&dispatch);
  ring();
  EXPECT_EQ(wait(done, 20), 2);
  std::atomic_ref(*static_cast<std::uint16_t*>(queue->base_address)).store(dispatch.header);
  EXPECT_EQ(wait(done), 0);
}

TEST_F(FakeHsaQueue, SaysWhatIsWrongWithAPacketAndDoesNoMore) {
  EXPECT_EQ(error_of([](auto& dispatch) { dispatch.header = 5; }),
            HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
  auto* const data = device_memory(0, 1);
  const auto done = signal();
  const auto dispatch = set_packet(data, 5, done);
  put(&dispatch);
  ring();
  EXPECT_EQ(wait(done, 20), 1);
  EXPECT_EQ(data[0], 0);
  EXPECT_EQ(errors.seen, 1);
}

TEST_F(FakeHsaQueue, WantsItsKernelsSizes) {
  EXPECT_EQ(error_of([](auto& dispatch) { dispatch.workgroup_size_x = 64; }),
            HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
}

TEST_F(FakeHsaQueue, WantsADimension) {
  EXPECT_EQ(error_of([](auto& dispatch) { dispatch.setup = 0; }),
            HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
}

TEST_F(FakeHsaQueue, WantsAKernelOfItsGpu) {
  EXPECT_EQ(error_of([](auto& dispatch) { dispatch.kernel_object += 100; }),
            HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
}

TEST_F(FakeHsaQueue, AKernelReachesWhatItsGpuWasGranted) {
  auto* const data = device_memory(1, 1);
  grant(data, {gpus[1]});
  const auto done = signal();
  const auto dispatch = set_packet(data, 5, done);
  put(&dispatch);
  ring();
  EXPECT_EQ(error(), HSA_STATUS_ERROR_MEMORY_FAULT);
  EXPECT_EQ(events.seen, 1);
  EXPECT_EQ(events.address, reinterpret_cast<std::uint64_t>(data));
  EXPECT_EQ(data[0], 0);
  EXPECT_EQ(value(done), 1);
}

TEST_F(FakeHsaQueue, ArgumentsToo) {
  std::array<std::uint64_t, 8> on_the_stack{};
  EXPECT_EQ(error_of([&](auto& dispatch) { dispatch.kernarg_address = on_the_stack.data(); }),
            HSA_STATUS_ERROR_MEMORY_FAULT);
}

TEST_F(FakeHsaQueue, ToldToOverlapOnlyBarriersKeepTheOrder) {
  control.set("overlap", 1);
  auto* const data = device_memory(0, 2);
  const auto done = signal(4);
  const auto all_are_in = signal(1);
  hsa_barrier_and_packet_t gate{};
  gate.header = HSA_PACKET_TYPE_BARRIER_AND;
  gate.dep_signal[0] = all_are_in;
  put(&gate);
  for (const bool barrier : {false, true}) {
    for (const std::uint64_t value : {3U, 4U}) {
      const auto dispatch =
          set_packet(data + (barrier ? 1 : 0), value, done, barrier || value == 3);
      put(&dispatch);
    }
  }
  ring();
  calls.hsa_signal_store_screlease(all_are_in, 0);
  EXPECT_EQ(calls.hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX,
                                            HSA_WAIT_STATE_BLOCKED),
            0);
  EXPECT_EQ(data[0], 3) << "the last dispatch without a barrier runs first";
  EXPECT_EQ(data[1], 4);
}

TEST_F(FakeHsaQueue, KeepsItsMaskAndPriority) {
  std::array<std::uint32_t, 2> mask{0xFFFFFF0F, 1};
  EXPECT_EQ(control.get("queue.0.units"), 8);
  EXPECT_EQ(calls.hsa_amd_queue_cu_set_mask(queue, 31, mask.data()),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(calls.hsa_amd_queue_cu_set_mask(queue, 64, mask.data()), HSA_STATUS_SUCCESS);
  ASSERT_EQ(calls.hsa_amd_queue_cu_get_mask(queue, 64, mask.data()), HSA_STATUS_SUCCESS);
  EXPECT_EQ(mask, (std::array<std::uint32_t, 2>{0x0F, 0}));
  EXPECT_EQ(control.get("queue.0.units"), 4);
  ASSERT_EQ(calls.hsa_amd_queue_set_priority(queue, HSA_AMD_QUEUE_PRIORITY_HIGH),
            HSA_STATUS_SUCCESS);
  EXPECT_EQ(control.get("queue.0.priority"), 2);
}

TEST_F(FakeHsaQueue, ItsMaskIsReducedToTheUnitsThatAreUsable) {
  calls.hsa_queue_destroy(queue);
  close();
  control.set("usable_units", 3);
  KernelsOpened::SetUp();
  EXPECT_EQ(control.get("queue.0.units"), 3);
  std::uint32_t mask = 0x1C;
  EXPECT_EQ(calls.hsa_amd_queue_cu_set_mask(queue, 32, &mask), HSA_STATUS_CU_MASK_REDUCED);
  ASSERT_EQ(calls.hsa_amd_queue_cu_get_mask(queue, 32, &mask), HSA_STATUS_SUCCESS);
  EXPECT_EQ(mask, 0x4U);
  mask = 0x3;
  EXPECT_EQ(calls.hsa_amd_queue_cu_set_mask(queue, 32, &mask), HSA_STATUS_SUCCESS);
}

TEST_F(FakeHsaQueue, TimesKernelsOnceAskedTo) {
  auto* const data = device_memory(0, 1);
  hsa_amd_profiling_dispatch_time_t time{};
  for (const int timed : {0, 1}) {
    ASSERT_EQ(calls.hsa_amd_profiling_set_profiler_enabled(queue, timed), HSA_STATUS_SUCCESS);
    const auto done = signal();
    const auto dispatch = set_packet(data, 5, done);
    put(&dispatch);
    ring();
    EXPECT_EQ(wait(done), 0);
    EXPECT_EQ(calls.hsa_amd_profiling_get_dispatch_time(gpus[0], done, &time),
              timed != 0 ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR);
  }
  EXPECT_NE(time.start, 0U);
  EXPECT_GE(time.end, time.start);
}

TEST_F(FakeHsaQueue, SizesArePowersOfTwo) {
  hsa_queue_t* made = nullptr;
  for (const std::uint32_t size : {0U, 32U, 100U, 1U << 18U}) {
    EXPECT_EQ(
        calls.hsa_queue_create(gpus[0], size, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &made),
        HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
  EXPECT_EQ(control.get("queues"), 1);
}

TEST_F(FakeHsaQueue, SymbolsAreTheCodesOwn) {
  hsa_executable_symbol_t symbol{};
  const auto find = [&](hsa_executable_t from, const char* name, int gpu) {
    return calls.hsa_executable_get_symbol_by_name(from, name, &gpus[static_cast<std::size_t>(gpu)],
                                                   &symbol);
  };
  EXPECT_EQ(find(executable, "conccl_fill", 0), HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  EXPECT_EQ(find(executable, "conccl_gemm.kd", 0), HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  EXPECT_EQ(find(executable, "conccl_fill.kd", 1), HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  ASSERT_EQ(find(executable, "conccl_fill.kd", 0), HSA_STATUS_SUCCESS);
  std::uint32_t bytes = 0;
  ASSERT_EQ(calls.hsa_executable_symbol_get_info(
                symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &bytes),
            HSA_STATUS_SUCCESS);
  EXPECT_EQ(bytes, sizeof(backend::hsa::FillArgs));
  ASSERT_EQ(calls.hsa_executable_destroy(executable), HSA_STATUS_SUCCESS);
  EXPECT_EQ(calls.hsa_executable_symbol_get_info(
                symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &bytes),
            HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL);
}

TEST_F(FakeHsaQueue, CodeIsOfTheGpusKindAndLoadedBeforeItIsFrozen) {
  hsa_executable_t other{};
  ASSERT_EQ(calls.hsa_executable_create_alt(
                HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &other),
            HSA_STATUS_SUCCESS);
  const auto load = [&](const std::vector<std::byte>& file, hsa_executable_t into) {
    hsa_code_object_reader_t reader{};
    EXPECT_EQ(calls.hsa_code_object_reader_create_from_memory(file.data(), file.size(), &reader),
              HSA_STATUS_SUCCESS);
    return calls.hsa_executable_load_agent_code_object(into, gpus[0], reader, nullptr, nullptr);
  };
  EXPECT_EQ(load(make_code_object({"conccl_fill"}, 0x3F), other),
            HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  EXPECT_EQ(load(std::vector(100, std::byte{1}), other), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  auto cut = make_code_object({"conccl_fill"});
  cut.resize(cut.size() / 2);
  EXPECT_EQ(load(cut, other), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  EXPECT_EQ(load(make_code_object({"conccl_fill"}), other), HSA_STATUS_SUCCESS);
  EXPECT_EQ(load(make_code_object({"conccl_fill"}), executable),
            HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
}

}  // namespace
}  // namespace conccl::test::fake_hsa
