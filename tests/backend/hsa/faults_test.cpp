// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What a runtime or its hardware may do wrong, and what the user sees of it.

#include <cstdlib>
#include <iostream>
#include <thread>

#include "tests/backend/hsa/support.hpp"

namespace conccl::backend::hsa {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr Bytes kBytes = 64 * kKiB;
constexpr int kCopies = 4;

/// GPU 0 pushes to GPU 1.
class HsaFaults : public OnDouble {
 protected:
  void open() {
    first_ = device(0);
    second_ = device(1);
    source_ = first_->allocate(kBytes * kCopies);
    target_ = second_->allocate(kBytes * kCopies);
    fill(*first_, source_, {1, 1});
    flags_ = first_->make_flags(2);
  }

  /// Several copies between two fences, and a flag behind them.
  [[nodiscard]] std::unique_ptr<Queue> push() {
    auto copies = queue(*first_, plan::Engine::dma);
    for (Bytes i = 0; i < kCopies; ++i) {
      copies->copy(target_.at(i * kBytes), source_.at(i * kBytes), kBytes, {});
    }
    copies->signal({flags_.get(), 0}, 1);
    copies->submit();
    return copies;
  }

  [[nodiscard]] std::string failure_of_push() {
    const auto copies = push();
    return refusal<RunError>([&] { (void)copies->synchronize(kLimit); });
  }

  void expect_pushed() {
    const auto copies = push();
    ASSERT_TRUE(copies->synchronize(kLimit));
    EXPECT_EQ(flags_->value(0), 1U);
    EXPECT_EQ(mismatches(*second_, target_, {1, 1}), 0U);
  }

  /// The GPU has failed for good, and nobody takes what it left for a result.
  void expect_poisoned() {
    EXPECT_TRUE(flags_->poisoned());
    EXPECT_EQ(flags_->value(0), 0U) << "raised behind a copy that failed";
    ASSERT_TRUE(first_->failure().has_value());
    const auto later = queue(*first_, plan::Engine::dma);
    later->copy(target_.data(), source_.data(), 1, {});
    later->submit();
    EXPECT_EQ(refusal<RunError>([&] { (void)later->synchronize(kLimit); }), *first_->failure());
    EXPECT_EQ(second_->failure(), std::nullopt) << "only one GPU failed";
  }

  /// 0: as it should be, and what it said is on standard error.
  int run_a_kernel_that_faults() {
    open();
    fake().set("kernel_fault_at", 1);
    const Memory memory = first_->allocate(kBytes);
    const auto task = first_->make_poison(memory.data(), kBytes);
    const auto units = queue(*first_, plan::Engine::compute);
    units->compute(*task, {});
    units->signal(flag(), 1);
    units->submit();
    std::cerr << refusal<RunError>([&] { (void)units->synchronize(kLimit); }) << std::endl;
    expect_poisoned();
    return HasFailure() ? 1 : 0;
  }

  [[nodiscard]] FlagRef flag() { return {flags_.get(), 0}; }
  [[nodiscard]] Device& first() { return *first_; }
  [[nodiscard]] Device& second() { return *second_; }
  void release() {
    source_ = {};
    target_ = {};
  }
  void close_all() {
    release();
    flags_.reset();
    first_.reset();
    second_.reset();
    close();
  }

 private:
  std::unique_ptr<Device> first_;
  std::unique_ptr<Device> second_;
  Memory source_;
  Memory target_;
  std::unique_ptr<FlagBlock> flags_;
};

TEST_F(HsaFaults, ACopyThatIsNotTakenIsNamed) {
  open();
  fake().set("fail_submit_at", 2);
  EXPECT_THAT(failure_of_push(), AllOf(HasSubstr("queue test of GPU 0"), HasSubstr("65536 bytes"),
                                       HasSubstr("from GPU 0 to GPU 1"), HasSubstr("engine"),
                                       HasSubstr("HSA_STATUS_ERROR")));
  expect_poisoned();
}

TEST_F(HsaFaults, ACopyThatFailsIsNamed) {
  for (int which = 1; which <= kCopies; ++which) {
    open();
    fake().set("fail_copy_at", which);
    EXPECT_THAT(failure_of_push(), AllOf(HasSubstr("65536 bytes from GPU 0 to GPU 1 on engine"),
                                         HasSubstr("failed with signal value -")));
    expect_poisoned();
    close_all();
    EXPECT_EQ(fake().get("running"), 0) << "the others were waited for";
    EXPECT_EQ(fake().get("allocations"), 0);
  }
}

TEST_F(HsaFaults, ALostCompletionIsNotWaitedForForEver) {
  environment().set("CONCCL_HSA_DEADLINE", "0.2");
  open();
  fake().set("lose_completion_at", 3);
  EXPECT_THAT(failure_of_push(), AllOf(HasSubstr("65536 bytes from GPU 0 to GPU 1 on engine"),
                                       HasSubstr("not ended after")));
  expect_poisoned();
}

TEST_F(HsaFaults, ALateCopyKeepsItsMemoryUntilItEnds) {
  environment().set("CONCCL_HSA_DEADLINE", "0.1");
  open();
  const auto before = fake().get("allocations");
  fake().set("slow_copy_us", 150'000);
  EXPECT_THAT(failure_of_push(), HasSubstr("not ended after"));
  release();
  EXPECT_EQ(fake().get("allocations"), before) << "freed under a copy that runs";
  while (fake().get("running") > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const Memory next = second().allocate(1);
  EXPECT_EQ(fake().get("allocations"), before - 1) << "two were let go of, one is new";
}

TEST_F(HsaFaults, ASlowEngineIsWaitedFor) {
  fake().set("slow_copy_us", 20'000);
  open();
  expect_pushed();
}

TEST_F(HsaFaults, AFullRingIsWaitedFor) {
  fake().set("ring", 1);
  fake().set("slow_copy_us", 2'000);
  open();
  expect_pushed();
}

TEST_F(HsaFaults, CopiesThatOverlapOnAnEngineKeepToFences) {
  fake().set("overlap", 1);
  open();
  const Memory middle = first().allocate(kBytes);
  const Memory from = first().allocate(kBytes);
  const Memory end = second().allocate(kBytes);
  const auto flags = first().make_flags(1);
  for (std::uint64_t round = 1; round <= 50; ++round) {
    fill(first(), from, {2, round});
    const auto copies = queue(first(), plan::Engine::dma);
    copies->copy(middle.data(), from.data(), kBytes, {});
    copies->signal({flags.get(), 0}, round);
    copies->copy(end.data(), middle.data(), kBytes, {});
    finish(*copies);
    ASSERT_EQ(mismatches(second(), end, {2, round}), 0U);
  }
}

TEST_F(HsaFaults, BusyEnginesAreNotAbsent) {
  fake().set("busy", 1);
  open();
  expect_pushed();
}

TEST_F(HsaFaults, AnyPreferenceOfEnginesWorks) {
  for (const auto* preferred : {"0", "one", "many"}) {
    SCOPED_TRACE(preferred);
    fake().reset();
    fake().set("preferred", preferred);
    open();
    expect_pushed();
    EXPECT_EQ(fake().get("cu_copies"), 0);
    close_all();
  }
}

TEST_F(HsaFaults, AnyLayoutOfEnginesWorks) {
  for (const int peer_engines : {2, 6, 8, 14}) {
    SCOPED_TRACE(peer_engines);
    fake().reset();
    fake().set("xgmi", peer_engines);
    open();
    expect_pushed();
    EXPECT_EQ(backend().capabilities().dma_engines, peer_engines);
    EXPECT_EQ(fake().get("engine.0.0") + fake().get("engine.0.1"), 0) << "to a peer";
    close_all();
  }
}

TEST_F(HsaFaults, AnEngineThatIsMissingIsNamedAndCanBeLeftOut) {
  environment().set("CONCCL_HSA_DEADLINE", "0.2");
  environment().set("CONCCL_HSA_ENGINES", "0,1,5");
  fake().set("hang_engine", 5);
  open();
  EXPECT_THAT(failure_of_push(), AllOf(HasSubstr("on engine 5"), HasSubstr("not ended after")));
  expect_poisoned();
  close_all();
  heal();
  fake().set("hang_engine", 5);
  environment().set("CONCCL_HSA_ENGINES", "0,1,4");
  open();
  expect_pushed();
  EXPECT_EQ(fake().get("engine.0.4"), kCopies);
}

TEST_F(HsaFaults, MemoryThatGpusMayNotReachIsRefused) {
  fake().set("deny_access", 1);
  EXPECT_THAT(refusal<RunError>([&] { (void)device(0)->allocate(kBytes); }),
              AllOf(HasSubstr("hsa_amd_agents_allow_access on GPU 0"), HasSubstr("65536 bytes")));
}

TEST_F(HsaFaults, GpusThatDoNotReachOneAnotherAreNamed) {
  fake().set("no_peer_access", 1);
  const auto one = device(0);
  const auto other = device(1);
  EXPECT_EQ(one->why_unreachable(*one), std::nullopt);
  EXPECT_THAT(one->why_unreachable(*other).value_or("reachable"),
              HasSubstr("GPU 0 cannot access memory of GPU 1"));
  const Memory memory = one->allocate(kBytes);
  fill(*one, memory, {1, 1});
  EXPECT_EQ(mismatches(*one, memory, {1, 1}), 0U) << "its own is as good as ever";
}

TEST_F(HsaFaults, MemoryThatIsNotThereIsRefused) {
  const auto one = device(0);
  fake().set("refuse_allocation", 1);
  EXPECT_THAT(refusal<RunError>([&] { (void)one->allocate(kBytes); }),
              AllOf(HasSubstr("GPU 0"), HasSubstr("65536 bytes")));
}

TEST_F(HsaFaults, AMemoryFaultOfAnEngineIsNamed) {
  environment().set("CONCCL_HSA_DEADLINE", "5");
  open();
  fake().set("event_at", 1);
  EXPECT_THAT(failure_of_push(), HasSubstr("GPU 0"));
  expect_poisoned();
  EXPECT_THAT(*first().failure(), HasSubstr("memory fault at address 0x"));
}

TEST_F(HsaFaults, AKernelThatFaultsIsNamed) {
  // In a process of its own: what such a kernel used is never let go of, and so the runtime stays.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::_Exit(run_a_kernel_that_faults()), testing::ExitedWithCode(0),
              "queue test of GPU 0: .*HSA_STATUS_ERROR");
}

TEST_F(HsaFaults, AQueueThatIsNotMadeIsNamed) {
  open();
  fake().set("queue_fails", 1);
  const Memory memory = first().allocate(kBytes);
  const auto task = first().make_poison(memory.data(), kBytes);
  const auto units = queue(first(), plan::Engine::compute);
  units->compute(*task, {});
  units->submit();
  EXPECT_THAT(refusal<RunError>([&] { (void)units->synchronize(kLimit); }),
              HasSubstr("hsa_queue_create"));
}

}  // namespace
}  // namespace conccl::backend::hsa
