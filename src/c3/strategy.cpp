// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

using plan::Form;
using plan::Priority;
using plan::Share;

constexpr int kEveryUnitUpTo = 8;

plan::Method method_of(const C3Request& request) {
  plan::Method method;
  method.form = request.strategy.form;
  method.direction = request.direction;
  method.engines = request.device.dma_engines;
  method.priority = request.strategy.comm_priority;
  if (request.strategy.budget == BudgetKind::comm_units) {
    method.share = {Share::Kind::only, request.budget};
  }
  return method;
}

Share gemm_share(const C3Request& request) {
  if (request.strategy.budget == BudgetKind::none || request.budget == 0) return {};
  return {Share::Kind::all_but, request.budget};
}

plan::Lane gemm_lane(const Share& share) {
  plan::Lane lane;
  lane.label = kGemmTask;
  lane.engine = plan::Engine::compute;
  lane.share = share;
  lane.steps.emplace_back(plan::Compute{0});
  return lane;
}

bool is_copy(const plan::Step& step) { return std::holds_alternative<plan::Copy>(step); }

/// Raises the gate of `rank` just before the first copy; false when nothing is copied.
bool raise_before_first_copy(std::vector<plan::Lane>& lanes, const plan::Signal& gate) {
  for (auto& lane : lanes) {
    const auto first = std::find_if(lane.steps.begin(), lane.steps.end(), is_copy);
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
      if (raise_before_first_copy(comm, flag)) {
        gemm.steps.insert(gemm.steps.begin(), plan::Wait{flag.flag});
        gemm.launch_rank = 1;
      }
      return;
    case Order::together:
      return;
  }
}

}  // namespace

const std::vector<Strategy>& strategies() {
  static const std::vector<Strategy> all{
      {"serial", "the GEMM, then the collective on compute units", Form::compute,
       Order::gemm_then_comm, Priority::normal, BudgetKind::none},
      {"c3_base", "collective on compute units, GEMM launched first", Form::compute,
       Order::gemm_first, Priority::normal, BudgetKind::none},
      {"c3_sp", "collective on compute units, launched first at high priority", Form::compute,
       Order::comm_first, Priority::high, BudgetKind::none},
      {"c3_rp", "compute units split: k for the collective, the rest for the GEMM", Form::compute,
       Order::gemm_first, Priority::normal, BudgetKind::comm_units},
      {"c3_sp_rp", "split as c3_rp and launched as c3_sp", Form::compute, Order::comm_first,
       Priority::high, BudgetKind::comm_units},
      {"conccl", "collective on DMA engines, GEMM on every compute unit", Form::dma,
       Order::together, Priority::normal, BudgetKind::none},
      {"conccl_rp", "as conccl, and the GEMM gives up r compute units", Form::dma, Order::together,
       Priority::normal, BudgetKind::gemm_gives},
  };
  return all;
}

const Strategy& find_strategy(std::string_view name) {
  std::string known;
  for (const auto& strategy : strategies()) {
    if (strategy.name == name) return strategy;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", strategy.name);
  }
  throw InputError(fmt::format("strategy: '{}' is not known; known are {}", name, known));
}

std::string why_not(const Strategy& strategy, const DeviceShape& device, int budget) {
  if (strategy.form == Form::dma && device.dma_engines < 1) return "the device has no DMA engines";
  const int least = strategy.budget == BudgetKind::comm_units ? 1 : 0;
  const int most = strategy.budget == BudgetKind::none ? 0 : device.compute_units - 1;
  if (budget >= least && budget <= most) return {};
  if (most < least) {
    return fmt::format("splitting needs at least 2 compute units, the device has {}",
                       device.compute_units);
  }
  return fmt::format("budget {} is not in {} .. {}", budget, least, most);
}

std::vector<int> budgets_to_sweep(const Strategy& strategy, const DeviceShape& device) {
  if (strategy.budget == BudgetKind::none) return {0};
  std::vector<int> budgets;
  if (strategy.budget == BudgetKind::gemm_gives) budgets.push_back(0);
  for (int units = 1; units < device.compute_units;
       units = device.compute_units <= kEveryUnitUpTo ? units + 1 : units * 2) {
    budgets.push_back(units);
  }
  return budgets;
}

plan::Plan c3_frame(const C3Request& request) {
  plan::Plan frame = plan::build_frame(request.request, method_of(request));
  frame.algorithm = fmt::format("{}: {}", request.strategy.name, frame.algorithm);
  frame.flags += 1;
  frame.tasks.emplace_back(kGemmTask);
  return frame;
}

plan::RankPlan c3_rank(const C3Request& request, int rank) {
  if (const auto reason = why_not(request.strategy, request.device, request.budget);
      !reason.empty()) {
    throw InputError(fmt::format("strategy {}: {}", request.strategy.name, reason));
  }
  const int gate_flag = plan::build_frame(request.request, method_of(request)).flags;
  plan::RankPlan lanes = plan::build_rank(request.request, method_of(request), rank);
  plan::Lane gemm = gemm_lane(gemm_share(request));
  gate(lanes.lanes, gemm, request.strategy.order, {rank, gate_flag});
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

}  // namespace conccl::c3
