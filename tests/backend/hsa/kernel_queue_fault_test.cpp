// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>

#include <mutex>

#include "backend/hsa/kernel_queue.hpp"
#include "conccl/core/log.hpp"
#include "tests/backend/hsa/on_kernel_queue.hpp"

namespace conccl::backend::hsa {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class KernelQueueFaults : public OnKernelQueue {
 protected:
  void SetUp() override {
    OnKernelQueue::SetUp();
    set_log_sink([this](LogLevel level, std::string_view line) {
      const std::lock_guard lock(mutex_);
      if (level == LogLevel::warning) warnings_.emplace_back(line);
    });
  }
  void TearDown() override {
    set_log_sink({});
    OnKernelQueue::TearDown();
  }

  [[nodiscard]] std::vector<std::string> warnings() {
    const std::lock_guard lock(mutex_);
    return warnings_;
  }

  /// Why a launch is refused, if it is.
  [[nodiscard]] std::string refusal(KernelQueue& queue, unsigned char* data) {
    try {
      queue.launch({}, SetArgs{data, 1, 1});
    } catch (const RunError& error) {
      return error.what();
    }
    return "none";
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> warnings_;
};

TEST_F(KernelQueueFaults, AFullQueueIsAnErrorInTimeAndGoesOnLater) {
  auto* const data = device_memory<unsigned char>(64);
  const auto before = signal(1);
  const auto queue = this->queue({.packets = 64, .limit = kShort});
  queue->launch({kWorkgroup, {}, std::span(&before, 1)}, SetArgs{data, 1, 1});
  std::size_t put = 1;
  std::string why = "none";
  for (; put < 100 && why == "none"; ++put) why = refusal(*queue, data + put % 64);
  EXPECT_THAT(why, AllOf(HasSubstr("GPU 0"), HasSubstr("full"), HasSubstr("64 packets")));
  EXPECT_LT(put, 64u);
  set(before, 0);
  ASSERT_TRUE(queue->drain(kLong));
  EXPECT_EQ(refusal(*queue, data + 63), "none");
  ASSERT_TRUE(queue->drain(kLong));
  EXPECT_EQ(data[63], 1);
}

const Calls* real = nullptr;

/// A GPU may say that it has taken all packets while none has completed.
TEST_F(KernelQueueFaults, ArgumentsOfPacketsThatWereTakenAreKeptUntilTheyComplete) {
  real = &calls();
  Calls told = calls();
  told.hsa_queue_load_read_index_scacquire = [](const abi::hsa_queue_t* queue) {
    return real->hsa_queue_load_write_index_relaxed(queue);
  };
  constexpr std::uint32_t kKernarg = 512;
  AqlRing ring(told, gpu(), kernarg_pool(), {0, 64, kKernarg});
  const auto before = signal(1);
  abi::hsa_barrier_and_packet_t stop{};
  stop.header = abi::HSA_PACKET_TYPE_BARRIER_AND;
  stop.dep_signal[0] = before;
  const auto soon = [] { return std::chrono::steady_clock::now() + kShort; };
  const std::byte* const first = ring.take(soon());
  ring.put(stop);
  abi::hsa_barrier_and_packet_t next{};
  next.header = abi::HSA_PACKET_TYPE_BARRIER_AND;
  for (int i = 1; i < 60; ++i) {
    EXPECT_NE(ring.take(soon()), first);
    ring.put(next);
  }
  EXPECT_THROW((void)ring.take(soon()), RunError);
  set(before, 0);
  EXPECT_EQ(ring.take(std::chrono::steady_clock::now() + kLong), first);
  ring.put(next);
  EXPECT_TRUE(ring.drain(std::chrono::steady_clock::now() + kLong));
}

TEST_F(KernelQueueFaults, AnErrorOfTheQueueIsKeptAndEndsEverything) {
  auto* const data = device_memory<unsigned char>(8);
  auto queue = this->queue();
  EXPECT_EQ(queue->failure(), "");
  fake().set("kernel_fault_at", 2);
  queue->launch({}, SetArgs{data, 1, 1});
  queue->launch({}, SetArgs{data + 1, 1, 1});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(queue->drain(kLong));
  EXPECT_THAT(queue->failure(), AllOf(HasSubstr("GPU 0"), HasSubstr("HSA_STATUS_ERROR_EXCEPTION")));
  EXPECT_EQ(refusal(*queue, data + 2), queue->failure());
  EXPECT_EQ(data[0], 1);
  EXPECT_EQ(data[1], 0);
  queue.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - start, kLong / 2) << "waited for what cannot come";
  EXPECT_THAT(warnings(), ElementsAre(AllOf(HasSubstr("EXCEPTION"), HasSubstr("never freed"))));
  EXPECT_EQ(fake().get("queues"), 1);
}

TEST_F(KernelQueueFaults, AKernelThatTouchesMemoryOfOthersFailsItsQueue) {
  must(calls().hsa_amd_register_system_event_handler(
      [](const abi::hsa_amd_event_t*, void*) { return abi::HSA_STATUS_SUCCESS; }, nullptr));
  const auto queue = this->queue();
  unsigned char mine = 0;
  queue->launch({}, SetArgs{&mine, 1, 1});
  EXPECT_FALSE(queue->drain(kLong));
  EXPECT_THAT(queue->failure(), HasSubstr("HSA_STATUS_ERROR_MEMORY_FAULT"));
  EXPECT_EQ(mine, 0);
}

TEST_F(KernelQueueFaults, DestructionWaitsForWhatRuns) {
  auto* const data = device_memory<unsigned char>(1);
  const auto before = signal(1);
  auto queue = this->queue();
  queue->launch({kWorkgroup, {}, std::span(&before, 1)}, SetArgs{data, 1, 7});
  std::thread later([&] {
    std::this_thread::sleep_for(kShort);
    set(before, 0);
  });
  queue.reset();
  EXPECT_EQ(*data, 7);
  later.join();
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_EQ(fake().get("queues"), 0);
}

TEST_F(KernelQueueFaults, DestructionLeavesWhatDoesNotEndItsMemory) {
  auto* const data = device_memory<unsigned char>(1);
  const auto before = signal(1);
  const auto allocations = fake().get("allocations");
  const auto done = signal(1);
  auto queue = this->queue({.limit = kShort});
  queue->launch({kWorkgroup, done, std::span(&before, 1)}, SetArgs{data, 1, 7});
  queue.reset();
  EXPECT_THAT(warnings(), ElementsAre(AllOf(HasSubstr("in time"), HasSubstr("never freed"))));
  EXPECT_EQ(fake().get("queues"), 1);
  EXPECT_EQ(fake().get("allocations"), allocations + 1);
  set(before, 0);
  ASSERT_TRUE(completes(done)) << "its kernels can still run";
  EXPECT_EQ(*data, 7);
}

TEST_F(KernelQueueFaults, AQueueThatCannotBeMadeLeavesNothing) {
  {
    const auto warm = queue();
  }
  const auto alive = [this] {
    return std::vector{fake().get("signals"), fake().get("allocations"), fake().get("queues")};
  };
  const auto before = alive();
  fake().set("queue_fails", 1);
  EXPECT_THROW((void)queue(), RunError);
  fake().set("queue_fails", 0);
  fake().set("refuse_allocation", 1);
  EXPECT_THROW((void)queue(), RunError);
  fake().set("refuse_allocation", 0);
  EXPECT_THROW((void)queue({.units = {0, 1000}}), InputError);
  EXPECT_EQ(alive(), before);
}

/// HSA_CU_MASK allows the first four units only.
TEST_F(KernelQueueFaults, AReducedMaskIsTakenAndCounted) {
  const Calls untouched = calls();
  real = &untouched;
  calls().hsa_amd_queue_cu_set_mask = [](const abi::hsa_queue_t* queue, std::uint32_t bits,
                                         const std::uint32_t* mask) {
    const std::uint32_t allowed = mask[0] & 0xFu;
    if (allowed == 0) return abi::HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto status = real->hsa_amd_queue_cu_set_mask(queue, bits, &allowed);
    return status == abi::HSA_STATUS_SUCCESS ? abi::HSA_STATUS_CU_MASK_REDUCED : status;
  };
  EXPECT_EQ(queue({.units = {2, 3, 4, 5}})->units(), 2);
  EXPECT_THROW((void)queue({.units = {6}}), RunError);
  calls() = untouched;
}

}  // namespace
}  // namespace conccl::backend::hsa
