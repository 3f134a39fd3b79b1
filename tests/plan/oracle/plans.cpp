// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/plan/oracle/plans.hpp"

#include <algorithm>

namespace conccl::plan::oracle {
namespace {

Plan frame(const Request& request, std::string algorithm, int flags) {
  Plan plan;
  plan.request = request;
  plan.algorithm = std::move(algorithm);
  plan.flags = flags;
  plan.ranks.resize(static_cast<std::size_t>(request.ranks));
  return plan;
}

Lane lane(std::string label, Engine engine) {
  Lane result;
  result.label = std::move(label);
  result.engine = engine;
  return result;
}

std::vector<Request> requests(int ranks, Bytes block) {
  return {{Collective::all_gather, ranks, block, Placement::out_of_place},
          {Collective::all_gather, ranks, block, Placement::in_place},
          {Collective::all_to_all, ranks, block, Placement::out_of_place}};
}

std::vector<Method> methods(int ranks) {
  std::vector<Method> list;
  for (const Direction direction : {Direction::push, Direction::pull}) {
    for (int engines = 1; engines < ranks; ++engines) {
      list.push_back({Form::dma, direction, engines, {}, Priority::normal});
    }
    list.push_back({Form::compute, direction, 1, {Share::Kind::only, 2}, Priority::high});
  }
  return list;
}

/// One rank of the ring. Flag 0: the successor is ready; flag 1 + k: the predecessor's hand-on k
/// has arrived.
std::vector<Step> ring_steps(const Request& request, int rank) {
  const int n = request.ranks;
  const int successor = (rank + 1) % n;
  const int predecessor = (rank + n - 1) % n;
  const auto block = [&](int at, int index) {
    return Ref{at, BufferKind::recv, static_cast<Bytes>(index) * request.block};
  };
  const bool in_place = request.placement == Placement::in_place;
  const Ref own = in_place ? block(rank, rank) : Ref{rank, BufferKind::send, 0};

  std::vector<Step> steps{Signal{predecessor, 0}, Wait{0}};
  if (!in_place) steps.emplace_back(Copy{own, block(rank, rank), request.block});
  for (int hop = 0; hop + 1 < n; ++hop) {
    const int index = (rank + n - hop) % n;
    const Ref from = hop == 0 ? own : block(rank, index);
    steps.emplace_back(Copy{from, block(successor, index), request.block});
    steps.emplace_back(Signal{successor, 1 + hop});
    steps.emplace_back(Wait{1 + hop});
  }
  return steps;
}

/// The DMA lane of the staged all-gather. Flags: s "rank s is ready", ranks + s "rank s has
/// written", 2 ranks "scratch is filled".
std::vector<Step> staged_steps(const Request& request, int rank) {
  const int n = request.ranks;
  std::vector<Step> steps;
  for (int d = 1; d < n; ++d) steps.emplace_back(Signal{(rank + d) % n, rank});
  for (int d = 1; d < n; ++d) steps.emplace_back(Wait{(rank + d) % n});
  steps.emplace_back(Wait{2 * n});
  for (int d = 1; d < n; ++d) {
    const Bytes offset = static_cast<Bytes>(rank) * request.block;
    steps.emplace_back(Copy{
        {rank, BufferKind::scratch, 0}, {(rank + d) % n, BufferKind::recv, offset}, request.block});
  }
  for (int d = 1; d < n; ++d) steps.emplace_back(Signal{(rank + d) % n, n + rank});
  for (int d = 1; d < n; ++d) steps.emplace_back(Wait{n + (rank + d) % n});
  return steps;
}

}  // namespace

std::vector<NamedPlan> built_plans(int ranks, Bytes block) {
  std::vector<NamedPlan> plans;
  for (const Request& request : requests(ranks, block)) {
    for (const Method& method : methods(ranks)) {
      Plan plan = build(request, method);
      plan.scratch_bytes = total_bytes(request);
      const auto lanes = std::to_string(plan.ranks.front().lanes.size());
      const auto* where = request.placement == Placement::in_place ? " in place" : "";
      std::string name = std::string(name_of(request.collective)) + where + ", " + plan.algorithm +
                         ", " + lanes + " lanes, " + std::to_string(ranks) + " ranks";
      plans.push_back({std::move(name), std::move(plan)});
    }
  }
  return plans;
}

Plan ring_all_gather(int ranks, Bytes block, Placement placement) {
  Plan plan = frame({Collective::all_gather, ranks, block, placement}, "ring", ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    Lane ring = lane("ring", Engine::dma);
    ring.steps = ring_steps(plan.request, rank);
    plan.ranks[static_cast<std::size_t>(rank)].lanes.push_back(std::move(ring));
  }
  return plan;
}

Plan staged_all_gather(int ranks, Bytes block) {
  Plan plan = frame({Collective::all_gather, ranks, block, Placement::out_of_place}, "staged",
                    2 * ranks + 1);
  plan.scratch_bytes = block;
  for (int rank = 0; rank < ranks; ++rank) {
    Lane stage = lane("stage", Engine::compute);
    const Ref send{rank, BufferKind::send, 0};
    stage.steps = {Copy{send, {rank, BufferKind::scratch, 0}, block}, Signal{rank, 2 * ranks},
                   Copy{send, {rank, BufferKind::recv, static_cast<Bytes>(rank) * block}, block}};
    Lane spread = lane("spread", Engine::dma);
    spread.steps = staged_steps(plan.request, rank);
    plan.ranks[static_cast<std::size_t>(rank)].lanes = {std::move(stage), std::move(spread)};
  }
  return plan;
}

Plan overcautious_all_to_all(int ranks, Bytes block) {
  Plan plan = build({Collective::all_to_all, ranks, block, Placement::out_of_place}, {});
  const int flags = plan.flags;
  plan.flags = 2 * flags;
  plan.tasks = {"gemm", "tail"};
  for (RankPlan& rank : plan.ranks) {
    std::vector<Step> twice;
    for (const Step& step : rank.lanes.front().steps) {
      twice.push_back(step);
      if (const auto* s = std::get_if<Signal>(&step))
        twice.emplace_back(Signal{s->rank, s->flag + flags});
      if (const auto* w = std::get_if<Wait>(&step)) twice.emplace_back(Wait{w->flag + flags});
    }
    twice.emplace_back(Compute{1});
    rank.lanes.front().steps = std::move(twice);
    rank.lanes.push_back(lane("gemm", Engine::compute));
    rank.lanes.back().steps = {Compute{0}};
  }
  return plan;
}

std::vector<NamedPlan> hand_written_plans(int ranks, Bytes block) {
  const std::string suffix = ", " + std::to_string(ranks) + " ranks";
  return {{"ring all_gather" + suffix, ring_all_gather(ranks, block, Placement::out_of_place)},
          {"ring all_gather in place" + suffix, ring_all_gather(ranks, block, Placement::in_place)},
          {"staged all_gather" + suffix, staged_all_gather(ranks, block)},
          {"overcautious all_to_all" + suffix, overcautious_all_to_all(ranks, block)}};
}

}  // namespace conccl::plan::oracle
