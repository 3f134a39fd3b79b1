// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What must hold for every strategy on machines without extra interference.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>

#include "tests/c3/model/support.hpp"

namespace conccl::c3 {
namespace {

using plan::Collective;

/// Machines whose tables are monotone and whose units, not memory, limit a GEMM.
Machine any_machine() {
  Machine machine = plain_machine();
  const double at_half = *rc::gen::inRange(1000, 4000) / 1000.0;
  machine.model.slowdown["compute_bound"] = {{50, at_half}, {100, 1}};
  const int saturated = *rc::gen::inRange(1, 21);
  for (auto& [name, facts] : machine.baseline) {
    machine.model.slowdown[name] = {{saturated, 1}};
    facts.cost.fixed_ns = *rc::gen::inRange(0, 20'000);
  }
  machine.model.dma_launch_ns = *rc::gen::inRange(0, 50'000);
  machine.model.dma_copy_ns = *rc::gen::inRange(0, 5'000);
  machine.model.late_share = *rc::gen::inRange(0, 300) / 1000.0;
  machine.model.tile_m = machine.model.tile_n = *rc::gen::element(0, 64, 256);
  return machine;
}

Scenario any_scenario() {
  Scenario scenario;
  scenario.name = "any";
  scenario.gemm = {
      {*rc::gen::inRange(1, 4096), *rc::gen::inRange(1, 4096), *rc::gen::inRange(2048, 8192)}};
  scenario.collective = *rc::gen::elementOf(plan::all_collectives());
  scenario.bytes = static_cast<Bytes>(*rc::gen::inRange(1024, 64'000'000));
  return scenario;
}

Strategy any_strategy() { return *rc::gen::elementOf(strategies()); }

int any_budget(const Strategy& strategy, const Machine& machine) {
  return *rc::gen::elementOf(budgets_to_sweep(strategy, device_shape(machine)));
}

/// Both lanes have units of their own from the start, so the order of launch gives neither more.
RC_GTEST_PROP(Strategies, OrderAndPriorityAddNothingToASplit, ()) {
  for (int run = 0; run < kCasesPerRun; ++run) {
    const Machine machine = any_machine();
    const ScenarioModel model(machine, any_scenario());
    const Strategy& split = find_strategy("c3_rp");
    for (const int budget : budgets_to_sweep(split, device_shape(machine))) {
      const auto rp = model.predict(split, budget).t_c3;
      RC_ASSERT(model.predict(find_strategy("c3_sp_rp"), budget).t_c3 == rp);
    }
  }
}

RC_GTEST_PROP(Strategies, SerialIsTheSumAndNoneBeatsTheLonger, ()) {
  for (int run = 0; run < kCasesPerRun; ++run) {
    Machine machine = any_machine();
    machine.model.flag_ns = *rc::gen::inRange(0, 20'000);
    const ScenarioModel model(machine, any_scenario());
    const Prediction serial = model.predict(find_strategy("serial"));
    RC_ASSERT(serial.t_c3 == serial.t_gemm + serial.t_comm);
    const Strategy strategy = any_strategy();
    const Prediction any = model.predict(strategy, any_budget(strategy, machine));
    RC_ASSERT(any.t_c3 >= std::max(any.t_gemm, any.t_comm));
  }
}

/// The upper bound: DMA engines take nothing from a GEMM but shared resources. Each event may come
/// a nanosecond late.
RC_GTEST_PROP(Strategies, DmaOverlapIsNeverSlowerThanSerial, ()) {
  for (int run = 0; run < kCasesPerRun; ++run) {
    const Machine machine = any_machine();
    const ScenarioModel model(machine, any_scenario());
    const Prediction dma = model.predict(find_strategy("conccl"));
    RC_ASSERT(dma.t_c3 <= dma.t_gemm + dma.t_comm + Nanoseconds(64));
  }
}

/// A split of units, with nothing else shared: the larger of the two times on what each gets.
RC_GTEST_PROP(Strategies, ASplitTakesTheLargerOfTheTwoTimes, ()) {
  for (int run = 0; run < kCasesPerRun; ++run) {
    Machine machine = any_machine();
    machine.model.memory_efficiency = machine.model.cache_gbps = 0;
    machine.device.memory_gbps = 1e9;
    const ScenarioModel model(machine, any_scenario());
    const Strategy& strategy = find_strategy("c3_rp");
    const Prediction best = model.predict(strategy);
    std::vector<double> gemm;
    std::vector<double> comm;
    for (const BudgetTime& point : best.sweep) {
      const auto& table = machine.model.slowdown.at("compute_bound");
      const double left = 100 - point.budget;
      const double factor =
          left >= 50 ? 1 + (table[0].factor - 1) * (100 - left) / 50 : table[0].factor * 50 / left;
      gemm.push_back(static_cast<double>(best.t_gemm.count()) * factor);
      // Any split of this machine gives a collective what saturates it, or half of it.
      const auto name = std::string(plan::name_of(model.request().collective));
      const double units = std::min(20, point.budget);
      const double speed = std::min(1.0, units / machine.model.slowdown.at(name)[0].units);
      const double fixed = machine.baseline.at(name).cost.fixed_ns;
      comm.push_back(fixed + (static_cast<double>(best.t_comm.count()) - fixed) / speed);
      const double expected = std::max(gemm.back(), comm.back());
      RC_ASSERT(std::abs(static_cast<double>(point.t_c3.count()) - expected) <= 4);
    }
    const double chosen = std::max(gemm[best_split(gemm, comm)], comm[best_split(gemm, comm)]);
    RC_ASSERT(std::abs(static_cast<double>(best.t_c3.count()) - chosen) <= 4);
  }
}

/// Where power is proportional to the clock a task's energy is fixed.
RC_GTEST_PROP(Strategies, NoneBeatsItsEnergyUnderTheCap, ()) {
  for (int run = 0; run < kCasesPerRun; ++run) {
    Machine machine = any_machine();
    const double gemm_w = *rc::gen::inRange(100, 1000);
    const double dma_w = *rc::gen::inRange(1, 300);
    machine.model.power = {500, 100, gemm_w, 0, dma_w, 1};
    const ScenarioModel model(machine, any_scenario());
    const Prediction dma = model.predict(find_strategy("conccl"));
    const double clock = std::min(1.0, 400 / gemm_w);
    const plan::Request& request = model.request();
    const double sent = static_cast<double>(request.block) * (request.ranks - 1);
    const std::array energies{gemm_w * clock * static_cast<double>(dma.t_gemm.count()),
                              dma_w * sent / machine.link.device_gbps};
    RC_ASSERT(static_cast<double>(dma.t_c3.count()) >= energy_bound(energies, 400) * (1 - 1e-9));
  }
}

RC_GTEST_PROP(Strategies, OneRankStandsForAll, ()) {
  for (int run = 0; run < kCasesPerRun; ++run) {
    Machine machine = any_machine();
    machine.devices = *rc::gen::inRange(2, 7);
    machine.device.dma_engines = *rc::gen::inRange(1, 8);
    machine.model.beside_kernels = *rc::gen::element(0.0, 1.5);
    machine.model.beside_dma = *rc::gen::element(0.0, 1.25);
    machine.model.beside["memory_bound"]["all_gather"] = {1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7};
    machine.model.beside["memory_bound"]["all_to_all"] = {1.6, 1.5, 1.4, 1.3, 1.2, 1.1, 1.8};
    machine.model.flag_ns = *rc::gen::element(0.0, 3'000.0);
    machine.model.kernel_step = *rc::gen::element(0, 8);
    Scenario scenario = any_scenario();
    const ScenarioModel model(machine, scenario);
    const Strategy strategy = any_strategy();
    const C3Request request{strategy, model.request(), device_shape(machine),
                            any_budget(strategy, machine), plan::Direction::push};
    const std::array tasks{gemm_cost(machine, scenario.gemm, scenario.collective)};
    const plan::Plan plan = c3_plan(request);
    RC_ASSERT(simulated_time(machine, plan, tasks, Symmetry::used) ==
              simulated_time(machine, plan, tasks, Symmetry::ignored));
  }
}

}  // namespace
}  // namespace conccl::c3
