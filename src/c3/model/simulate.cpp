// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/model/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "c3/model/simulator.hpp"

namespace conccl::c3 {
namespace {

/// What ran a lane's work: DMA lanes of a rank are numbered.
std::vector<std::string> unit_names(const plan::RankPlan& rank) {
  std::vector<std::string> names;
  int engine = 0;
  for (const auto& lane : rank.lanes) {
    const bool dma = lane.engine == plan::Engine::dma;
    names.push_back(dma ? fmt::format("dma{}", engine++) : std::string("compute"));
  }
  return names;
}

void add_spans(const plan::RankPlan& plan, int rank, const Script& script,
               std::span<const WorkTimes> times, plan::Timeline& timeline) {
  const auto names = unit_names(plan);
  for (std::size_t i = 0; i < script.works.size(); ++i) {
    const Work& work = script.works[i];
    const LaneScript& from = script.lanes[static_cast<std::size_t>(work.lane)];
    if (!script.one_for_all && from.rank != rank) continue;
    const plan::Lane& lane = plan.lanes[static_cast<std::size_t>(from.lane)];
    for (int step = work.step; step < work.step + work.steps; ++step) {
      const auto* const copy = std::get_if<plan::Copy>(&lane.steps[static_cast<std::size_t>(step)]);
      timeline.spans.push_back({rank, lane.label, step, names[static_cast<std::size_t>(from.lane)],
                                times[i].start, times[i].end, copy ? copy->bytes : 0});
    }
  }
}

}  // namespace

plan::Timeline simulate(const Machine& machine, const plan::Plan& plan,
                        std::span<const TaskCost> tasks, Symmetry symmetry) {
  const System system(machine);
  const Script script = make_script(system, plan, tasks, symmetry);
  Simulator simulator(system, script);
  const auto& times = simulator.run();
  plan::Timeline timeline;
  for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) {
    add_spans(plan.ranks[rank], static_cast<int>(rank), script, times, timeline);
  }
  return timeline;
}

Nanoseconds simulated_time(const Machine& machine, const plan::Plan& plan,
                           std::span<const TaskCost> tasks, Symmetry symmetry) {
  const System system(machine);
  const Script script = make_script(system, plan, tasks, symmetry);
  Simulator simulator(system, script);
  Nanoseconds end{};
  for (const WorkTimes& work : simulator.run()) end = std::max(end, work.end);
  return end;
}

}  // namespace conccl::c3
