// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/attribution/counterfactual.hpp"

#include <algorithm>
#include <iterator>

#include "conccl/c3/strategy.hpp"

namespace conccl::bench {
namespace {

// Shorter copies would be bound by what each one costs.
constexpr Bytes kLeastLap = 64 * kKiB;

bool is_gemm(const plan::Lane& lane) { return lane.label == c3::kGemmTask; }

bool is_copy(const plan::Step& step) { return std::holds_alternative<plan::Copy>(step); }

std::size_t copies_of(const plan::RankPlan& rank) {
  std::size_t count = 0;
  for (const auto& lane : rank.lanes) {
    count += static_cast<std::size_t>(std::count_if(lane.steps.begin(), lane.steps.end(), is_copy));
  }
  return count;
}

/// Appends `copy` as laps over its first `lap` bytes.
void add_laps(std::vector<plan::Step>& steps, const plan::Copy& copy, Bytes lap) {
  for (Bytes done = 0; done < copy.bytes; done += lap) {
    plan::Copy piece = copy;
    piece.bytes = std::min(lap, copy.bytes - done);
    steps.emplace_back(piece);
  }
}

/// True when a copy became shorter.
bool cut_into_laps(plan::RankPlan& rank, Bytes region) {
  const std::size_t copies = copies_of(rank);
  if (copies == 0) return false;
  const Bytes lap = std::max(kLeastLap, region / copies);
  bool cut = false;
  for (auto& lane : rank.lanes) {
    std::vector<plan::Step> steps;
    for (const auto& step : lane.steps) {
      const auto* copy = std::get_if<plan::Copy>(&step);
      if (copy == nullptr) steps.push_back(step);
      if (copy == nullptr) continue;
      cut |= copy->bytes > lap;
      add_laps(steps, *copy, lap);
    }
    lane.steps = std::move(steps);
  }
  return cut;
}

template <typename Change>
void each_lane(Configuration& configuration, Change change) {
  for (auto& rank : configuration.lanes) {
    for (auto& lane : rank.lanes) change(lane);
  }
}

}  // namespace

Configuration with_readings(Configuration configuration, const ReadingTasks& tasks) {
  each_lane(configuration, [&tasks](plan::Lane& lane) {
    const auto gemm = std::find_if(lane.steps.begin(), lane.steps.end(), [](const auto& step) {
      return std::holds_alternative<plan::Compute>(step);
    });
    if (!is_gemm(lane) || gemm == lane.steps.end()) return;
    // A signal that is raised as the GEMM starts must not be raised as the reading does.
    const auto first =
        std::find_if_not(std::make_reverse_iterator(gemm), lane.steps.rend(), [](const auto& step) {
          return std::holds_alternative<plan::Signal>(step);
        }).base();
    const auto before = first - lane.steps.begin();
    lane.steps.insert(gemm + 1, plan::Compute{tasks.behind});
    lane.steps.insert(lane.steps.begin() + before, plan::Compute{tasks.before});
  });
  return configuration;
}

std::optional<Configuration> with_small_region(Configuration configuration, Bytes region) {
  bool cut = false;
  for (auto& rank : configuration.lanes) cut |= cut_into_laps(rank, region);
  if (!cut) return std::nullopt;
  return configuration;
}

Configuration without_copies(Configuration configuration) {
  each_lane(configuration, [](plan::Lane& lane) { std::erase_if(lane.steps, is_copy); });
  return configuration;
}

bool has_copies(const Configuration& configuration) {
  return std::any_of(configuration.lanes.begin(), configuration.lanes.end(),
                     [](const auto& rank) { return copies_of(rank) > 0; });
}

plan::Share gemm_share(const Configuration& configuration) {
  for (const auto& rank : configuration.lanes) {
    const auto lane = std::find_if(rank.lanes.begin(), rank.lanes.end(), is_gemm);
    if (lane != rank.lanes.end()) return lane->share;
  }
  return {};
}

}  // namespace conccl::bench
