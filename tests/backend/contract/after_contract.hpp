// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// One queue after another, and lanes within a queue.
#pragma once

#include <array>
#include <vector>

#include "conccl/core/errors.hpp"
#include "tests/backend/contract/backend_contract.hpp"

namespace conccl::backend::contract {

class AfterContract : public BackendContract {};

TEST_P(AfterContract, ForksAndJoinsKeepTheOrder) {
  constexpr Bytes kBytes = kMiB + 1;
  constexpr int kSides = 4;
  std::array<Timestamp, kSides> fences{};
  const Memory source = device().allocate(kBytes);
  std::vector<Memory> middle;
  std::vector<Memory> target;
  std::vector<std::unique_ptr<Queue>> sides;
  for (int i = 0; i < kSides; ++i) {
    middle.push_back(device().allocate(kBytes));
    target.push_back(device().allocate(kBytes));
    sides.push_back(queue(i % 2 == 0 ? plan::Engine::dma : plan::Engine::compute));
  }
  for (std::uint64_t round = 1; round <= 10; ++round) {
    const auto fill = device().make_fill(source.data(), {{0, kBytes, {1, round}, 0}});
    main().compute(*fill, {});
    for (std::size_t i = 0; i < sides.size(); ++i) {
      sides[i]->after(main());
      // The later ones have less to do, so they end first.
      const Bytes times = kSides - i;
      for (Bytes again = 0; again < times; ++again) {
        sides[i]->copy(middle[i].data(), source.data(), kBytes, {});
        sides[i]->timestamp(fences[i]);
      }
      sides[i]->submit();
    }
    for (const auto& side : sides) main().after(*side);
    for (std::size_t i = 0; i < sides.size(); ++i) {
      main().copy(target[i].data(), middle[i].data(), kBytes, {});
    }
    finish(main());
    for (const Memory& memory : target) {
      ASSERT_EQ(compare(memory, {1, round}).mismatches, 0U) << "round " << round;
    }
  }
}

TEST_P(AfterContract, ItDoesNotPassBeforeTheOtherQueue) {
  const auto flags = device().make_flags(2);
  const auto first = queue(plan::Engine::dma);
  const auto second = queue(plan::Engine::compute);
  first->wait({flags.get(), 0}, 1);
  second->after(*first);
  second->signal({flags.get(), 1}, 1);
  second->submit();
  EXPECT_FALSE(second->synchronize(std::chrono::milliseconds(20)));
  EXPECT_EQ(flags->value(1), 0U);
  flags->raise(0, 1);
  ASSERT_TRUE(second->synchronize(kLimit));
  EXPECT_EQ(flags->value(1), 1U);
}

TEST_P(AfterContract, TheQueueThatCameBeforeMayBeGone) {
  const Memory source = device().allocate(kMiB);
  const Memory target = device().allocate(kMiB);
  fill(source, {3, 3});
  poison(target);
  {
    const auto first = queue(plan::Engine::dma);
    first->copy(target.data(), source.data(), kMiB, {});
    main().after(*first);
  }
  finish(main());
  EXPECT_EQ(compare(target, {3, 3}).mismatches, 0U);
}

TEST_P(AfterContract, ALaneThatAQueueServesRunsInItsOrder) {
  const QueueSpec lane{"lane", plan::Engine::dma, {}, plan::Priority::normal};
  if (!main().serves(lane.engine)) GTEST_SKIP() << "lanes have queues of their own here";
  std::array<Memory, 3> chain;
  for (Memory& memory : chain) memory = device().allocate(kMiB);
  fill(chain[0], {5, 5});
  for (std::size_t i = 1; i < chain.size(); ++i) poison(chain[i]);
  main().copy(chain[1].data(), chain[0].data(), kMiB, {});
  main().act_as(&lane);
  Timestamp between{};
  main().timestamp(between);
  main().copy(chain[2].data(), chain[1].data(), kMiB, {});
  main().act_as(nullptr);
  finish(main());
  EXPECT_EQ(compare(chain[2], {5, 5}).mismatches, 0U);
}

TEST_P(AfterContract, AQueueOfAnotherBackendIsRefused) {
  class Foreign final : public Queue {
   public:
    void copy(void*, const void*, Bytes, Origin) override {}
    void signal(FlagRef, std::uint64_t) override {}
    void wait(FlagRef, std::uint64_t) override {}
    void compute(Task&, Origin) override {}
    void timestamp(Timestamp&) override {}
    void after(Queue&) override {}
    [[nodiscard]] bool serves(plan::Engine) const override { return false; }
    void act_as(const QueueSpec*) override {}
    void submit() override {}
    [[nodiscard]] std::uint64_t capture() const override { return 0; }
    void keep(std::shared_ptr<void>) override {}
    [[nodiscard]] bool synchronize(std::chrono::nanoseconds) override { return true; }
  } foreign;
  EXPECT_THROW(main().after(foreign), InputError);
}

}  // namespace conccl::backend::contract
