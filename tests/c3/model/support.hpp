// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Machines, tasks and plans that tests of the model share.
#pragma once

#include <rapidcheck.h>

#include <string>
#include <vector>

#include "conccl/c3/model/predict.hpp"
#include "conccl/c3/model/theory.hpp"
#include "conccl/core/errors.hpp"
#include "tests/core/support.hpp"

namespace conccl::c3 {

/// One run of a property tries so many cases; it has a hundred runs.
inline constexpr int kCasesPerRun = 30;

/// 100 units, 1,000 GB/s of memory and of cache, links of 10 GB/s to each of three peers, nothing
/// that the theory leaves out: figures that one can compute by hand.
inline Machine plain_machine() {
  Machine machine;
  machine.name = "plain";
  machine.backend = "cuda";
  machine.devices = 4;
  machine.device.compute_units = 100;
  machine.device.dma_engines = 4;
  machine.device.memory_gbps = 1000;
  machine.device.peak_tflops = {{"bf16", 100}};
  machine.device.gemm_efficiency = 1;
  machine.link = {"full-mesh", 10, 30};
  for (const char* const name : {"all_gather", "all_to_all"}) {
    machine.baseline[name] = {{0, 1 / 40.0}, 20};
    machine.model.slowdown[name] = {{20, 1}};
  }
  machine.model.memory_efficiency = 1;
  machine.model.cache_gbps = 1000;
  machine.model.unit_step = 10;
  machine.model.late_share = 0.1;
  machine.model.slowdown["compute_bound"] = {{50, 2}, {100, 1}};
  machine.model.slowdown["memory_bound"] = {{50, 1}, {100, 1}};
  return machine;
}

inline TaskCost cost_of(const Task& task) {
  TaskCost cost;
  cost.alone = Nanoseconds(static_cast<Nanoseconds::rep>(task.alone_ns));
  cost.memory_bytes = task.shares[0] * 1000 * task.alone_ns;
  cost.cache_bytes = task.shares[1] * 1000 * task.alone_ns;
  return cost;
}

/// Of device memory and of the last-level cache.
inline Task any_task() {
  const auto share = [] { return *rc::gen::inRange(0, 1001) / 1000.0; };
  const double alone = *rc::gen::inRange(1, 1'000'000);
  const double memory = share();
  return {alone, {memory, share()}};
}

inline plan::Lane task_lane(int task, const plan::Share& share = {}) {
  plan::Lane lane;
  lane.label = "task" + std::to_string(task);
  lane.engine = plan::Engine::compute;
  lane.share = share;
  lane.steps.emplace_back(plan::Compute{task});
  return lane;
}

/// One rank that runs its lanes side by side.
inline plan::Plan plan_of(std::vector<plan::Lane> lanes) {
  plan::Plan plan;
  plan.request.ranks = 1;
  for (std::size_t i = 0; i < lanes.size(); ++i) plan.tasks.push_back(std::to_string(i));
  plan.ranks.push_back({std::move(lanes)});
  return plan;
}

/// The tasks' costs are whole microseconds of nothing but their units.
inline TaskCost plain_task(int microseconds) {
  TaskCost cost;
  cost.alone = std::chrono::microseconds(microseconds);
  return cost;
}

/// A gather within `plain_machine`: 10 us for blocks of 100,000 bytes.
inline plan::Request plain_gather(Bytes block = 100'000) {
  return {plan::Collective::all_gather, 4, block, plan::Placement::in_place};
}

/// One GEMM and such a gather.
inline plan::Plan plain_plan(std::string_view strategy, int budget = 0, int units = 100) {
  DeviceShape device{units, 4};
  device.own_block = plan::OwnBlock::own_lane;
  return c3_plan({find_strategy(strategy), plain_gather(), device, budget, plan::Direction::push});
}

inline double modelled_ns(const Machine& machine, const plan::Plan& plan,
                          const std::vector<TaskCost>& tasks = {}) {
  return static_cast<double>(simulated_time(machine, plan, tasks).count());
}

/// The lane's spans of rank 0.
inline std::vector<plan::Span> spans_of(const plan::Timeline& timeline, std::string_view lane) {
  std::vector<plan::Span> found;
  for (const auto& span : timeline.spans) {
    if (span.rank == 0 && span.lane == lane) found.push_back(span);
  }
  return found;
}

/// All tasks together on one device, each with units of its own.
inline double together_ns(const Machine& machine, const std::vector<Task>& tasks) {
  std::vector<plan::Lane> lanes;
  std::vector<TaskCost> costs;
  for (const Task& task : tasks) {
    lanes.push_back(task_lane(static_cast<int>(costs.size())));
    costs.push_back(cost_of(task));
  }
  return static_cast<double>(simulated_time(machine, plan_of(std::move(lanes)), costs).count());
}

}  // namespace conccl::c3
