// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Ranks as processes would have them, and what they run.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <vector>

#include "bench/ranks.hpp"
#include "bench/sizing.hpp"
#include "bench/workload.hpp"
#include "conccl/backend/registry.hpp"
#include "conccl/c3/strategy.hpp"

namespace conccl::bench::test {

inline constexpr Bytes kBlock = 8192;

/// Everything a run of the C3 strategy "conccl" needs, on the ranks of one process.
struct Stage {
  explicit Stage(Ranks& every_rank, const backend::Backend& backend)
      : ranks(every_rank),
        rig(every_rank, backend.capabilities(), nullptr),
        gemms(make_gemms(rig, {64, 64, 64}, 1)),
        workload(rig, request_for(plan::Collective::all_gather, every_rank.size(), kBlock), gemms),
        device{backend.capabilities().compute_units, backend.capabilities().dma_engines} {}

  [[nodiscard]] Configuration strategy() const {
    const auto plan = c3::c3_plan(
        {c3::find_strategy("conccl"), workload.request(), device, 0, plan::Direction::push});
    return {"conccl", plan.request, plan.flags, plan.ranks};
  }

  Ranks& ranks;
  Rig rig;
  std::vector<std::unique_ptr<backend::Gemm>> gemms;
  Workload workload;
  c3::DeviceShape device;
};

/// `work` on every rank, each on a thread of its own with a backend of its own.
inline void on_ranks_apart(int count, const std::function<void(Stage&)>& work) {
  const auto id = comm::make_unique_id();
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < count; ++rank) {
    threads.emplace_back([&, rank] {
      const auto backend = backend::open("host");
      comm::Options options;
      options.deadline = std::chrono::seconds(20);
      Ranks ranks(*backend, {rank, count, rank}, id, options);
      try {
        Stage stage(ranks, *backend);
        work(stage);
        // Nobody leaves before all have finished.
        static_cast<void>(ranks.meet(Ranks::Wish::go_on));
      } catch (const std::exception& error) {
        ADD_FAILURE() << "rank " << rank << ": " << error.what();
      }
    });
  }
}

/// All ranks driven by this thread.
inline void on_ranks_here(int count, const std::function<void(Stage&)>& work) {
  const auto backend = backend::open("host");
  Ranks ranks(*backend, count, {});
  Stage stage(ranks, *backend);
  work(stage);
}

}  // namespace conccl::bench::test
