// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Plans that differ in one thing differ in nothing else.

#include "bench/attribution/counterfactual.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "bench/sizing.hpp"
#include "conccl/c3/strategy.hpp"

namespace conccl::bench {
namespace {

constexpr Bytes kRegion = kMiB;

Configuration strategy(std::string_view name, int ranks, Bytes block,
                       plan::Collective collective = plan::Collective::all_gather) {
  c3::DeviceShape device;
  device.compute_units = 8;
  device.dma_engines = 2;
  const int budget = name == "conccl_rp" ? 2 : 0;
  const auto plan = c3::c3_plan({c3::find_strategy(name), request_for(collective, ranks, block),
                                 device, budget, plan::Direction::push});
  return {std::string(name), plan.request, plan.flags, plan.ranks};
}

/// Bytes by source rank and destination rank, and the farthest that any copy reaches.
struct Moved {
  std::map<std::pair<int, int>, Bytes> bytes;
  Bytes largest = 0;
};

Moved moved(const Configuration& configuration) {
  Moved result;
  for (const auto& rank : configuration.lanes) {
    for (const auto& lane : rank.lanes) {
      for (const auto& step : lane.steps) {
        const auto* copy = std::get_if<plan::Copy>(&step);
        if (copy == nullptr) continue;
        result.bytes[{copy->src.rank, copy->dst.rank}] += copy->bytes;
        result.largest = std::max(result.largest, copy->bytes);
      }
    }
  }
  return result;
}

/// Where copies read and write on each rank: distinct bytes per lane's rank, as (offset, end).
Bytes working_set(const plan::RankPlan& rank) {
  std::map<std::pair<int, Bytes>, Bytes> pieces;
  for (const auto& lane : rank.lanes) {
    for (const auto& step : lane.steps) {
      const auto* copy = std::get_if<plan::Copy>(&step);
      if (copy == nullptr) continue;
      auto& bytes = pieces[{copy->dst.rank, copy->dst.offset}];
      bytes = std::max(bytes, copy->bytes);
    }
  }
  Bytes total = 0;
  for (const auto& [where, bytes] : pieces) total += bytes;
  return total;
}

std::vector<plan::Step> other_steps(const plan::Lane& lane) {
  std::vector<plan::Step> steps = lane.steps;
  std::erase_if(steps, [](const auto& step) { return std::holds_alternative<plan::Copy>(step); });
  return steps;
}

RC_GTEST_PROP(SmallRegion, MovesTheSameBytesOverASmallPlace, ()) {
  const int ranks = *rc::gen::inRange(2, 6);
  const Bytes block = static_cast<Bytes>(*rc::gen::inRange(1, 40'000'000));
  const auto collective =
      *rc::gen::element(plan::Collective::all_gather, plan::Collective::all_to_all);
  const auto whole = strategy("conccl", ranks, block, collective);
  const auto small = with_small_region(whole, kRegion);
  if (!small) {
    RC_ASSERT(moved(whole).largest <= kRegion);
    return;
  }
  RC_ASSERT(moved(*small).bytes == moved(whole).bytes);
  for (std::size_t rank = 0; rank < whole.lanes.size(); ++rank) {
    RC_ASSERT(working_set(small->lanes[rank]) <= kRegion);
    for (std::size_t lane = 0; lane < whole.lanes[rank].lanes.size(); ++lane) {
      RC_ASSERT(other_steps(small->lanes[rank].lanes[lane]) ==
                other_steps(whole.lanes[rank].lanes[lane]));
    }
  }
}

TEST(SmallRegion, LeavesAloneWhatFits) {
  EXPECT_FALSE(with_small_region(strategy("conccl", 2, kRegion), kRegion));
  EXPECT_TRUE(with_small_region(strategy("conccl", 2, kRegion + 1), kRegion));
}

TEST(WithoutCopies, KeepsEverythingElse) {
  const auto whole = strategy("conccl", 3, 4096);
  const auto flags = without_copies(whole);
  EXPECT_TRUE(has_copies(whole));
  EXPECT_FALSE(has_copies(flags));
  for (std::size_t rank = 0; rank < whole.lanes.size(); ++rank) {
    for (std::size_t lane = 0; lane < whole.lanes[rank].lanes.size(); ++lane) {
      EXPECT_EQ(flags.lanes[rank].lanes[lane].steps, other_steps(whole.lanes[rank].lanes[lane]));
    }
  }
}

TEST(WithReadings, StandAroundTheGemmAndNowhereElse) {
  const auto whole = strategy("serial", 2, 4096);
  const auto read = with_readings(whole, {5, 6});
  for (std::size_t rank = 0; rank < whole.lanes.size(); ++rank) {
    const auto& before = whole.lanes[rank].lanes;
    const auto& after = read.lanes[rank].lanes;
    for (std::size_t lane = 0; lane < before.size(); ++lane) {
      if (before[lane].label != c3::kGemmTask) {
        EXPECT_EQ(after[lane], before[lane]);
        continue;
      }
      const std::vector<plan::Step> expected{plan::Compute{5}, plan::Compute{0}, plan::Compute{6},
                                             before[lane].steps.back()};
      EXPECT_EQ(after[lane].steps, expected) << "the GEMM's signal stays last";
    }
  }
}

TEST(GemmShare, IsThatOfTheGemmsLane) {
  EXPECT_EQ(gemm_share(strategy("conccl", 2, 4096)), plan::Share{});
  EXPECT_EQ(gemm_share(strategy("conccl_rp", 2, 4096)),
            (plan::Share{plan::Share::Kind::all_but, 2}));
  EXPECT_EQ(gemm_share({}), plan::Share{});
}

}  // namespace
}  // namespace conccl::bench
