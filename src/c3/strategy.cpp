// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

using plan::Form;
using plan::Priority;
using plan::Share;

constexpr int kEveryUnitUpTo = 8;
constexpr int kGemm = 0;
constexpr int kCollective = 1;

bool has_budget(const Strategy& strategy) { return strategy.budget != BudgetKind::none; }

bool splits_for_comm(const Strategy& strategy) {
  return strategy.budget == BudgetKind::comm_units && strategy.carrier == Carrier::own;
}

plan::Method method_of(const C3Request& request) {
  plan::Method method;
  const bool own = request.strategy.carrier == Carrier::own;
  method.form = own ? request.strategy.form : Form::compute;
  method.direction = request.direction;
  method.engines = request.device.dma_engines;
  method.own_block = request.device.own_block;
  method.priority = request.strategy.comm_priority;
  if (splits_for_comm(request.strategy)) method.share = {Share::Kind::only, request.budget};
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

/// Lets a lane that copies within the device start behind the GEMM's first kernel: a kernel that is
/// launched behind such a copy waits for its end, while one that runs does not hold the copy up.
void start_own_block_behind(std::vector<plan::Lane>& comm, plan::Lane& gemm,
                            const plan::Signal& flag) {
  const auto own = std::find_if(comm.begin(), comm.end(), [](const plan::Lane& lane) {
    return lane.label == plan::kOwnLane;
  });
  if (own == comm.end()) return;
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
      start_own_block_behind(comm, gemm, flag);
      return;
  }
}

/// Whoever's kernels they run.
const std::vector<Strategy>& kernel_strategies() {
  static const std::vector<Strategy> all{
      {"serial", "the GEMM, then the collective on compute units", Form::compute,
       Order::gemm_then_comm, Priority::normal, BudgetKind::none, Carrier::own},
      {"c3_base", "collective on compute units, GEMM launched first", Form::compute,
       Order::gemm_first, Priority::normal, BudgetKind::none, Carrier::own},
      {"c3_sp", "collective on compute units, launched first at high priority", Form::compute,
       Order::comm_first, Priority::high, BudgetKind::none, Carrier::own},
      {"c3_rp", "compute units split: k for the collective, the rest for the GEMM", Form::compute,
       Order::gemm_first, Priority::normal, BudgetKind::comm_units, Carrier::own},
      {"c3_sp_rp", "split as c3_rp and launched as c3_sp", Form::compute, Order::comm_first,
       Priority::high, BudgetKind::comm_units, Carrier::own},
  };
  return all;
}

/// Ours where the plain names are the vendor's.
const std::vector<Strategy>& own_kernels() {
  static const std::vector<Strategy> all = [] {
    constexpr std::array<std::string_view, 5> kNames = {"serial_own", "c3_base_own", "c3_sp_own",
                                                        "c3_rp_own", "c3_sp_rp_own"};
    std::vector<Strategy> list = kernel_strategies();
    ensure_equal(list.size(), kNames.size(), "kernel strategies");
    for (std::size_t i = 0; i < list.size(); ++i) list[i].name = kNames[i];
    return list;
  }();
  return all;
}

const Strategy& vendor_copies() {
  static const Strategy strategy{
      "nccl_ce",
      "the vendor's collective in its copy-engine mode, GEMM on every compute unit",
      Form::dma,
      Order::together,
      Priority::normal,
      BudgetKind::none,
      Carrier::vendor_copies};
  return strategy;
}

/// Ours and the vendor's, every name once.
const std::vector<Strategy>& known_strategies() {
  static const std::vector<Strategy> all = [] {
    std::vector<Strategy> list = strategies();
    const auto& own = own_kernels();
    list.insert(list.end(), own.begin(), own.end());
    list.push_back(vendor_copies());
    return list;
  }();
  return all;
}

bool is_multiple(int value, int step) { return value % step == 0; }

std::string why_not_split(const Strategy& strategy, const DeviceShape& device, int budget) {
  const int step = device.unit_step;
  if (splits_for_comm(strategy) && !is_multiple(budget, step)) {
    return fmt::format("budget {} is not a multiple of {}", budget, step);
  }
  if (share_without(device, budget)) return {};
  const int left = device.compute_units - budget;
  return fmt::format("budget {} leaves {} compute units: neither is a multiple of {}", budget, left,
                     step);
}

/// Ascending; some may be impossible.
std::vector<int> doubling(const DeviceShape& device) {
  std::vector<int> budgets;
  for (int units = device.unit_step; units < device.compute_units;
       units = device.compute_units <= kEveryUnitUpTo ? units + 1 : units * 2) {
    budgets.push_back(units);
  }
  return budgets;
}

/// What is left is whole steps: each one down to three quarters of the device, then every other.
std::vector<int> leaving_whole_steps(const DeviceShape& device) {
  const int step = device.unit_step;
  const int most = device.compute_units / step * step;
  std::vector<int> budgets;
  for (int left = most; left >= most / 2 && left > 0;
       left -= left > most * 3 / 4 ? step : 2 * step) {
    if (left < device.compute_units) budgets.push_back(device.compute_units - left);
  }
  return budgets;
}

std::vector<int> candidates(const Strategy& strategy, const DeviceShape& device) {
  if (strategy.budget == BudgetKind::comm_units) {
    if (strategy.carrier == Carrier::own) return doubling(device);
    return {kVendorBlocks.begin(), kVendorBlocks.end()};
  }
  std::vector<int> budgets = device.unit_step > 1 ? leaving_whole_steps(device) : doubling(device);
  budgets.insert(budgets.begin(), 0);
  return budgets;
}

}  // namespace

const std::vector<Strategy>& strategies() {
  static const std::vector<Strategy> all = [] {
    std::vector<Strategy> list = kernel_strategies();
    list.push_back({"conccl", "collective on DMA engines, GEMM on every compute unit", Form::dma,
                    Order::together, Priority::normal, BudgetKind::none, Carrier::own});
    list.push_back({"conccl_rp", "as conccl, and the GEMM gives up r compute units", Form::dma,
                    Order::together, Priority::normal, BudgetKind::gemm_gives, Carrier::own});
    return list;
  }();
  return all;
}

std::vector<Strategy> strategies_beside(std::span<const Carrier> vendor) {
  const auto has = [vendor](Carrier carrier) {
    return std::find(vendor.begin(), vendor.end(), carrier) != vendor.end();
  };
  std::vector<Strategy> list = kernel_strategies();
  if (has(Carrier::vendor_kernels)) {
    for (auto& strategy : list) strategy.carrier = Carrier::vendor_kernels;
    const auto& own = own_kernels();
    list.insert(list.end(), own.begin(), own.end());
  }
  if (has(Carrier::vendor_copies)) list.push_back(vendor_copies());
  const auto& ours = strategies();
  list.insert(list.end(), ours.begin() + static_cast<std::ptrdiff_t>(kernel_strategies().size()),
              ours.end());
  return list;
}

const Strategy& find_strategy(std::string_view name) {
  std::string known;
  for (const auto& strategy : known_strategies()) {
    if (strategy.name == name) return strategy;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", strategy.name);
  }
  throw InputError(fmt::format("strategy: '{}' is not known; known are {}", name, known));
}

std::optional<Share> share_without(const DeviceShape& device, int given_up) {
  if (given_up == 0) return Share{};
  const int left = device.compute_units - given_up;
  if (given_up < 0 || left < device.fewest_left) return std::nullopt;
  if (is_multiple(given_up, device.unit_step)) return Share{Share::Kind::all_but, given_up};
  if (is_multiple(left, device.unit_step)) return Share{Share::Kind::only, left};
  return std::nullopt;
}

std::string why_not(const Strategy& strategy, const DeviceShape& device, int budget) {
  if (strategy.carrier == Carrier::own && strategy.form == Form::dma && device.dma_engines < 1) {
    return "the device has no DMA engines";
  }
  const int first = splits_for_comm(strategy) ? device.unit_step : 1;
  const int least = strategy.budget == BudgetKind::comm_units ? first : 0;
  const int most = has_budget(strategy) ? device.compute_units - device.fewest_left : 0;
  if (most < least) {
    return fmt::format("splitting needs at least {} compute units, the device has {}",
                       least + device.fewest_left, device.compute_units);
  }
  if (budget < least || budget > most) {
    return fmt::format("budget {} is not in {} .. {}", budget, least, most);
  }
  return why_not_split(strategy, device, budget);
}

std::vector<int> budgets_to_sweep(const Strategy& strategy, const DeviceShape& device) {
  if (!has_budget(strategy)) return {0};
  std::vector<int> budgets = candidates(strategy, device);
  std::erase_if(budgets, [&](int budget) { return !why_not(strategy, device, budget).empty(); });
  return budgets;
}

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
  plan::Lane gemm = gemm_lane(*share_without(request.device, request.budget));
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
