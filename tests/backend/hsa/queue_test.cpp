// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What queues ask the runtime for: engines, agents, masks of compute units, priorities.

#include "tests/backend/hsa/support.hpp"

namespace conccl::backend::hsa {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class HsaQueue : public OnDouble {
 protected:
  /// Copies of several blocks from one device to another, by a queue of `runner`'s; checked.
  void copy_checked(Device& runner, Device& from, Device& to, std::uint64_t round) {
    constexpr Bytes kBlocks = 3;
    constexpr Bytes kBlock = 5000;
    const Memory source = from.allocate(kBlocks * kBlock);
    const Memory target = to.allocate(kBlocks * kBlock);
    fill(from, source, {1, round});
    const auto copies = queue(runner, plan::Engine::dma);
    for (Bytes i = 0; i < kBlocks; ++i) {
      copies->copy(target.at(i * kBlock), source.at(i * kBlock), kBlock, {});
    }
    finish(*copies);
    EXPECT_EQ(mismatches(to, target, {1, round}), 0U);
  }

  /// Copies that engines of a GPU have run.
  [[nodiscard]] std::int64_t copies_of(int gpu) {
    std::int64_t sum = 0;
    for (int engine = 0; engine < 16; ++engine) {
      sum += fake().get("engine." + std::to_string(gpu) + "." + std::to_string(engine));
    }
    return sum;
  }

  /// Runs a kernel on such a queue, the first kernel of the test.
  std::unique_ptr<Queue> run_kernel(Device& device, const QueueSpec& spec) {
    auto units = device.make_queue(spec);
    const Memory memory = device.allocate(4096);
    const auto task = device.make_poison(memory.data(), memory.bytes());
    units->compute(*task, {});
    finish(*units);
    return units;
  }
};

TEST_F(HsaQueue, PushesByTheEnginesOfTheGpuThatHasTheBytes) {
  const auto zero = device(0);
  const auto one = device(1);
  copy_checked(*zero, *zero, *one, 1);
  EXPECT_EQ(copies_of(0), 3);
  EXPECT_EQ(copies_of(1), 0);
}

TEST_F(HsaQueue, PullsByTheEnginesOfTheGpuThatWantsThem) {
  const auto zero = device(0);
  const auto one = device(1);
  copy_checked(*one, *zero, *one, 1);
  EXPECT_EQ(copies_of(0), 0);
  EXPECT_EQ(copies_of(1), 3);
}

TEST_F(HsaQueue, NamesTheAgentsTheOtherWayWhereTheRuntimeSwapsThem) {
  environment().set("HSA_REV_COPY_DIR", "1");
  const auto zero = device(0);
  const auto one = device(1);
  copy_checked(*zero, *zero, *one, 1);
  EXPECT_EQ(copies_of(0), 3);
}

TEST_F(HsaQueue, ForcesEnginesWithinAGpu) {
  const auto zero = device(0);
  copy_checked(*zero, *zero, *zero, 1);
  EXPECT_EQ(copies_of(0), 3);
  EXPECT_EQ(fake().get("cu_copies"), 0);
}

TEST_F(HsaQueue, EachPeerHasAnEngineOfItsOwn) {
  const auto zero = device(0);
  for (int peer = 1; peer < 8; ++peer) copy_checked(*zero, *zero, *device(peer), 1);
  int used = 0;
  for (int engine = 2; engine < 16; ++engine) {
    const auto copies = fake().get("engine.0." + std::to_string(engine));
    EXPECT_TRUE(copies == 0 || copies == 3) << "engine " << engine << ": " << copies;
    used += copies == 3 ? 1 : 0;
  }
  EXPECT_EQ(used, 7);
}

TEST_F(HsaQueue, HandsABatchOverAsOneCallIfAsked) {
  environment().set("CONCCL_HSA_BATCH", "1");
  const auto zero = device(0);
  const auto one = device(1);
  copy_checked(*zero, *zero, *one, 1);
  EXPECT_EQ(fake().get("copies"), 3);
  fake().set("fail_copy_at", 2);
  const Memory source = zero->allocate(200);
  const Memory target = one->allocate(200);
  const auto copies = queue(*zero, plan::Engine::dma);
  copies->copy(target.at(0), source.at(0), 100, {});
  copies->copy(target.at(100), source.at(100), 100, {});
  copies->submit();
  EXPECT_THAT(
      refusal<RunError>([&] { (void)copies->synchronize(kLimit); }),
      AllOf(HasSubstr("copy of 100 bytes from GPU 0 to GPU 1"), HasSubstr("signal value -")));
}

TEST_F(HsaQueue, WithoutACallForBatchesCopiesGoOneByOne) {
  environment().set("CONCCL_HSA_BATCH", "1");
  std::string path = CONCCL_FAKE_HSA_PATH;
  path.replace(path.rfind("libfake-hsa.so"), std::string::npos,
               "libfake-hsa-without-hsa_amd_memory_async_batch_copy.so");
  environment().set("CONCCL_HSA", path);
  const auto zero = device(0);
  const auto one = device(1);
  copy_checked(*zero, *zero, *one, 1);
}

TEST_F(HsaQueue, OfAShareHasSoManyUnits) {
  using Kind = plan::Share::Kind;
  const auto zero = device(0);
  const auto few = run_kernel(*zero, {"few", plan::Engine::compute, {Kind::only, 3}, {}});
  EXPECT_EQ(fake().get("queue.0.units"), 3);
  const auto rest = run_kernel(*zero, {"rest", plan::Engine::compute, {Kind::all_but, 3}, {}});
  EXPECT_EQ(fake().get("queue.1.units"), 5);
  const auto all = run_kernel(*zero, {"all", plan::Engine::compute, {}, {}});
  EXPECT_EQ(fake().get("queue.2.units"), 8);
}

TEST_F(HsaQueue, OfHighPriorityHasIt) {
  const auto zero = device(0);
  const auto normal = run_kernel(*zero, {"normal", plan::Engine::compute, {}, {}});
  const auto high = run_kernel(*zero, {"high", plan::Engine::compute, {}, plan::Priority::high});
  EXPECT_EQ(fake().get("queue.0.priority"), 1);
  EXPECT_EQ(fake().get("queue.1.priority"), 2);
}

}  // namespace
}  // namespace conccl::backend::hsa
