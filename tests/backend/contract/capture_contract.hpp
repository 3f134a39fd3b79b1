// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What captures ask of a backend, as far as it shows without one: flags that serve again.
#pragma once

#include <algorithm>
#include <vector>

#include "conccl/backend/executor.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/plan/build.hpp"
#include "tests/backend/contract/backend_contract.hpp"

namespace conccl::backend::contract {

/// Two ranks, and launches of one plan whose flags are reset.
class CaptureContract : public BackendContract {
 protected:
  static constexpr Bytes kBlock = 40'000;
  static constexpr int kFirst = 3;  ///< flags before those of the plan

  void SetUp() override {
    BackendContract::SetUp();
    for (int rank = 0; rank < 2; ++rank) {
      Rank& made = ranks_.emplace_back();
      made.device = backend().open_device(rank);
      made.stream = made.device->make_queue({"stream", plan::Engine::compute, {}, {}});
      made.executor = std::make_unique<Executor>(*made.device);
      made.flags = made.device->make_flags(kFirst + 4);
      made.send = made.device->allocate(2 * kBlock);
      made.recv = made.device->allocate(2 * kBlock);
    }
  }

  void TearDown() override {
    for (Rank& rank : ranks_) {
      if (rank.flags) rank.flags->poison();
    }
  }

  /// Fills, launches and compares, all behind one another.
  void enqueue(const plan::Request& request, const plan::Method& method, std::uint64_t round) {
    for (int rank = 0; rank < 2; ++rank) {
      Rank& here = ranks_[static_cast<std::size_t>(rank)];
      add(rank, here.device->make_fill(here.send.data(), {{0, 2 * kBlock, {rank, round}, 0}}));
      add(rank, here.device->make_poison(here.recv.data(), 2 * kBlock));
      launch(plan::build_rank(request, method, rank), rank);
      here.results.push_back(std::make_unique<Comparison>());
      const bool to_all = request.collective == plan::Collective::all_to_all;
      const Bytes from = to_all ? static_cast<Bytes>(rank) * kBlock : 0;
      add(rank,
          here.device->make_compare(
              here.recv.data(), {{0, kBlock, {0, round}, from}, {kBlock, kBlock, {1, round}, from}},
              *here.results.back()));
    }
  }

  void launch(const plan::RankPlan& lanes, int rank) {
    Rank& here = ranks_[static_cast<std::size_t>(rank)];
    const std::vector<RankBuffers> buffers{buffers_of(0), buffers_of(1)};
    const std::vector<FlagBlock*> flags{ranks_[0].flags.get(), ranks_[1].flags.get()};
    const std::vector<int> first{kFirst, kFirst};
    Bindings bindings;
    bindings.rank = rank;
    bindings.buffers = buffers;
    bindings.flags = flags;
    bindings.first_flags = first;
    bindings.use = FlagUse::reset;
    here.executor->launch(lanes, bindings, *here.stream);
    here.stream->submit();
  }

  void expect_right() {
    for (Rank& rank : ranks_) {
      ASSERT_TRUE(rank.stream->synchronize(kLimit));
      for (const auto& result : rank.results) {
        ASSERT_EQ(result->compared, 2 * kBlock);
        ASSERT_EQ(result->mismatches, 0U) << "from byte " << result->first_bad << " on";
      }
    }
  }

  void expect_all_lowered() {
    for (const Rank& rank : ranks_) {
      for (int flag = 0; flag < rank.flags->size(); ++flag) EXPECT_EQ(rank.flags->value(flag), 0U);
    }
  }

 private:
  struct Rank {
    std::unique_ptr<Device> device;
    std::unique_ptr<FlagBlock> flags;
    Memory send;
    Memory recv;
    std::vector<std::unique_ptr<Comparison>> results;
    std::vector<std::unique_ptr<Task>> tasks;
    std::unique_ptr<Executor> executor;
    std::unique_ptr<Queue> stream;
  };

  [[nodiscard]] RankBuffers buffers_of(std::size_t rank) const {
    return {ranks_[rank].send.at(0), ranks_[rank].recv.at(0), nullptr};
  }

  void add(int rank, std::unique_ptr<Task> task) {
    Rank& here = ranks_[static_cast<std::size_t>(rank)];
    here.tasks.push_back(std::move(task));
    here.stream->compute(*here.tasks.back(), {});
    here.stream->submit();
  }

  std::vector<Rank> ranks_;
};

TEST_P(CaptureContract, AQueueIsNotCapturedUnlessAskedTo) {
  EXPECT_FALSE(main().capturing());
  EXPECT_EQ(queue(plan::Engine::dma)->capture(), 0U);
  EXPECT_THROW(main().keep(std::make_shared<int>(1)), InputError);
}

TEST_P(CaptureContract, FlagsThatAreResetServeAgain) {
  for (const auto collective : {plan::Collective::all_gather, plan::Collective::all_to_all}) {
    const plan::Request request{collective, 2, kBlock, plan::Placement::out_of_place};
    for (const auto direction : {plan::Direction::push, plan::Direction::pull}) {
      plan::Method method;
      method.direction = direction;
      for (std::uint64_t round = 0; round < 50; ++round) enqueue(request, method, round);
      expect_right();
      expect_all_lowered();
    }
  }
}

TEST_P(CaptureContract, AFlagToBeResetHasOneWaiter) {
  plan::RankPlan lanes;
  lanes.lanes.resize(2);
  for (auto& lane : lanes.lanes) lane.steps.emplace_back(plan::Wait{1});
  EXPECT_THROW(launch(lanes, 0), Unavailable);
  expect_all_lowered();
}

}  // namespace conccl::backend::contract
