// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "c3/budgets.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

using plan::Form;
using plan::Priority;
using plan::Share;

constexpr int kGemm = 0;
constexpr int kCollective = 1;

plan::Method method_of(const C3Request& request) {
  plan::Method method;
  const bool own = request.strategy.carrier == Carrier::own;
  method.form = own ? request.strategy.form : Form::compute;
  method.direction = request.direction;
  method.engines = request.device.dma_engines;
  method.own_block = request.device.own_block;
  method.priority = request.strategy.comm_priority;
  if (request.strategy.budget == BudgetKind::own_block) {
    method.own_block = plan::OwnBlock::compute_lane;
  }
  if (takes_units(request.strategy)) method.share = {Share::Kind::only, request.budget};
  return method;
}

plan::Lane gemm_lane(const Share& share) {
  plan::Lane lane;
  lane.label = kGemmTask;
  lane.engine = plan::Engine::compute;
  lane.share = share;
  lane.steps.emplace_back(plan::Compute{kGemm});
  return lane;
}

plan::Lane vendor_lane(Priority priority) {
  plan::Lane lane;
  lane.label = kCollectiveTask;
  lane.engine = plan::Engine::compute;
  lane.priority = priority;
  lane.steps.emplace_back(plan::Compute{kCollective});
  return lane;
}

bool is_work(const plan::Step& step) {
  return std::holds_alternative<plan::Copy>(step) || std::holds_alternative<plan::Compute>(step);
}

/// Raises the gate just before the first work; false when there is none.
bool raise_before_first_work(std::vector<plan::Lane>& lanes, const plan::Signal& gate) {
  for (auto& lane : lanes) {
    const auto first = std::find_if(lane.steps.begin(), lane.steps.end(), is_work);
    if (first == lane.steps.end()) continue;
    lane.steps.insert(first, gate);
    return true;
  }
  return false;
}

void wait_first(std::vector<plan::Lane>& lanes, int gate) {
  for (auto& lane : lanes) {
    lane.steps.insert(lane.steps.begin(), plan::Wait{gate});
    lane.launch_rank = 1;
  }
}

/// Lets a lane of DMA engines that copies within the device start behind the GEMM's first kernel: a
/// kernel that is launched behind such a copy waits for its end, while one that runs does not hold
/// the copy up. A kernel that copies goes before the GEMM, which would leave it no room.
void place_own_block(std::vector<plan::Lane>& comm, plan::Lane& gemm, const plan::Signal& flag) {
  const auto own = std::find_if(comm.begin(), comm.end(), [](const plan::Lane& lane) {
    return lane.label == plan::kOwnLane;
  });
  if (own == comm.end()) return;
  if (own->engine == plan::Engine::compute) {
    gemm.launch_rank = 1;
    return;
  }
  gemm.steps.insert(gemm.steps.begin(), flag);
  own->steps.insert(own->steps.begin(), plan::Wait{flag.flag});
  own->launch_rank = 1;
}

/// Orders the two sides as the strategy says, by one flag of the rank itself.
void gate(std::vector<plan::Lane>& comm, plan::Lane& gemm, Order order, const plan::Signal& flag) {
  if (comm.empty()) return;
  switch (order) {
    case Order::gemm_then_comm:
      gemm.steps.emplace_back(flag);
      wait_first(comm, flag.flag);
      return;
    case Order::gemm_first:
      gemm.steps.insert(gemm.steps.begin(), flag);
      wait_first(comm, flag.flag);
      return;
    case Order::comm_first:
      if (raise_before_first_work(comm, flag)) {
        gemm.steps.insert(gemm.steps.begin(), plan::Wait{flag.flag});
        gemm.launch_rank = 1;
      }
      return;
    case Order::together:
      place_own_block(comm, gemm, flag);
      return;
  }
}

}  // namespace

plan::Plan c3_frame(const C3Request& request) {
  plan::Plan frame = plan::build_frame(request.request, method_of(request));
  const bool own = request.strategy.carrier == Carrier::own;
  frame.algorithm =
      fmt::format("{}: {}", request.strategy.name, own ? frame.algorithm : "the vendor's");
  frame.flags += 1;
  frame.tasks.emplace_back(kGemmTask);
  if (!own) frame.tasks.emplace_back(kCollectiveTask);
  return frame;
}

plan::RankPlan c3_rank(const C3Request& request, int rank) {
  const auto& strategy = request.strategy;
  if (const auto reason = why_not(strategy, request.device, request.budget); !reason.empty()) {
    throw InputError(fmt::format("strategy {}: {}", strategy.name, reason));
  }
  // Behind the collective's flags whoever runs it: on one communicator a flag has one writer.
  const int gate_flag = plan::build_frame(request.request, method_of(request)).flags;
  plan::RankPlan lanes = strategy.carrier == Carrier::own
                             ? plan::build_rank(request.request, method_of(request), rank)
                             : plan::RankPlan{{vendor_lane(strategy.comm_priority)}};
  const bool whole = strategy.budget == BudgetKind::own_block;
  plan::Lane gemm = gemm_lane(*share_without(request.device, whole ? 0 : request.budget));
  gate(lanes.lanes, gemm, strategy.order, {rank, gate_flag});
  lanes.lanes.push_back(std::move(gemm));
  return lanes;
}

plan::Plan c3_plan(const C3Request& request) {
  plan::Plan whole = c3_frame(request);
  for (int rank = 0; rank < request.request.ranks; ++rank) {
    whole.ranks.push_back(c3_rank(request, rank));
  }
  return whole;
}

plan::RankPlan gemm_alone(const plan::Share& share) { return {{gemm_lane(share)}}; }

plan::RankPlan vendor_collective_alone() { return {{vendor_lane(Priority::normal)}}; }

}  // namespace conccl::c3
