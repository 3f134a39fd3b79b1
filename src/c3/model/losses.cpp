// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/model/losses.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace conccl::c3 {
namespace {

/// So much memory bandwidth that nothing shares it.
constexpr double kPlenty = 1e6;

void no_interference(Machine& machine) {
  machine.model.beside_kernels = 1;
  machine.model.beside_dma = 1;
  machine.model.beside.clear();
}

void full_clock(Machine& machine) { machine.model.power = {}; }

void any_units_do(Machine& machine) {
  for (KnownGemm& known : machine.model.gemms) {
    known.slowdown = {{1, 1}};
    known.slowdown_beside.clear();
  }
}

void no_late_launch(Machine& machine) {
  machine.model.dma_launch_ns = 0;
  machine.model.dma_copy_ns = 0;
  machine.model.flag_ns = 0;
}

void no_cache_limit(Machine& machine) { machine.model.cache_gbps = 0; }

void no_memory_limit(Machine& machine) { machine.device.memory_gbps *= kPlenty; }

using Switch = void (*)(Machine&);
constexpr std::array<Switch, kLossCauses.size()> kSwitches{
    no_interference, full_clock, any_units_do, no_late_launch, no_cache_limit, no_memory_limit};

/// The GEMM's time and tables stay what they are, whatever else is switched off.
Machine with_known_gemm(const Machine& machine, const GemmSpec& gemm, const TaskCost& cost) {
  Machine changed = machine;
  changed.model.gemms = {
      {gemm, static_cast<double>(cost.alone.count()), cost.slowdown, cost.slowdown_beside}};
  return changed;
}

/// The percent of ideal as it is, and with more and more switched off; empty: the ideal is too low.
std::vector<double> percents(const Machine& machine, const Scenario& scenario,
                             const Prediction& whole, const Strategy& strategy) {
  std::vector<double> found;
  C3Times times = against_baseline(whole);
  const auto add = [&](Nanoseconds t_c3) {
    times.t_c3_ms = to_ms(t_c3);
    if (const auto percent = percent_of_ideal(times)) found.push_back(*percent);
  };
  add(whole.t_c3);
  Scenario sized = scenario;
  sized.bytes = plan::total_bytes(whole.request);
  sized.ratio.reset();
  sized.bytes_per_rank.reset();
  const TaskCost cost = gemm_cost(machine, scenario.gemm);
  Machine changed = with_known_gemm(machine, scenario.gemm, cost);
  for (const Switch& off : kSwitches) {
    off(changed);
    add(ScenarioModel(changed, sized).predict(strategy, whole.budget).t_c3);
  }
  return found;
}

void add(ClassLosses& losses, const std::vector<double>& percents) {
  ++losses.scenarios;
  losses.percent += percents.front();
  for (std::size_t cause = 0; cause < kLossCauses.size(); ++cause) {
    losses.points[cause] += percents[cause + 1] - percents[cause];
  }
  losses.rest += 100 - percents.back();
}

void take_means(ClassLosses& losses) {
  losses.percent /= losses.scenarios;
  losses.rest /= losses.scenarios;
  for (double& points : losses.points) points /= losses.scenarios;
}

}  // namespace

std::vector<ClassLosses> losses_by_class(const Machine& machine, const Suite& suite,
                                         const Strategy& strategy) {
  std::map<std::pair<plan::Collective, Balance>, ClassLosses> classes;
  for (const Scenario& scenario : suite.scenarios) {
    const Prediction whole = ScenarioModel(machine, scenario).predict(strategy);
    const auto found = percents(machine, scenario, whole, strategy);
    if (found.empty()) continue;
    const Balance balance = balance_of(whole.t_gemm, whole.t_baseline);
    ClassLosses& losses = classes[{scenario.collective, balance}];
    losses.collective = scenario.collective;
    losses.balance = balance;
    add(losses, found);
  }
  std::vector<ClassLosses> list;
  for (auto& [key, losses] : classes) {
    take_means(losses);
    list.push_back(losses);
  }
  return list;
}

std::string to_text(std::span<const ClassLosses> losses) {
  std::string text =
      fmt::format("{:<11} {:<9} {:>9} {:>8}", "collective", "class", "scenarios", "percent");
  for (const auto cause : kLossCauses) text += fmt::format(" {:>16}", cause);
  text += fmt::format(" {:>7}\n", "rest");
  for (const ClassLosses& each : losses) {
    text += fmt::format("{:<11} {:<9} {:>9} {:>8.1f}", plan::name_of(each.collective),
                        name_of(each.balance), each.scenarios, each.percent);
    for (const double points : each.points) text += fmt::format(" {:>16.1f}", points);
    text += fmt::format(" {:>7.1f}\n", each.rest);
  }
  return text;
}

}  // namespace conccl::c3
