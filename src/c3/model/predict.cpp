// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/model/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "c3/roofline_terms.hpp"
#include "conccl/c3/roofline.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

Bytes sized(const Machine& machine, const Scenario& scenario, Nanoseconds t_gemm) {
  if (const auto bytes = bytes_among(scenario, machine.devices)) return *bytes;
  const auto wanted = whole_ns(scenario.ratio.value() * static_cast<double>(t_gemm.count()));
  static_cast<void>(baseline_collective(machine, scenario.collective, 0));  // throws if not there
  return machine.baseline.at(std::string(plan::name_of(scenario.collective)))
      .cost.bytes_within(wanted);
}

plan::Request request_of(const Machine& machine, const Scenario& scenario, Bytes bytes) {
  if (machine.devices > kMostModelled) {
    throw InputError(fmt::format("machine \"{}\": {} devices; expected at most {} for the model",
                                 machine.name, machine.devices, kMostModelled));
  }
  if (machine.devices < 2) {
    throw InputError(fmt::format("machine \"{}\": {} device; expected at least 2 for a collective",
                                 machine.name, machine.devices));
  }
  const Bytes block = bytes / static_cast<Bytes>(machine.devices) / kBlockStep * kBlockStep;
  if (block == 0) {
    throw InputError(
        fmt::format("scenario {}: {} bytes are too few for {} devices; expected {} "
                    "for each",
                    scenario.name, bytes, machine.devices, kBlockStep));
  }
  const bool gathers = scenario.collective == plan::Collective::all_gather;
  return {scenario.collective, machine.devices, block,
          gathers ? plan::Placement::in_place : plan::Placement::out_of_place};
}

TaskCost cost_of(const Machine& machine, const Scenario& scenario,
                 const GemmConditions& conditions) {
  TaskCost cost = gemm_cost(machine, scenario.gemm, scenario.collective);
  if (conditions.alone) return with_time(machine, std::move(cost), *conditions.alone);
  const double longer = throttling(machine, scenario.gemm, conditions.share);
  cost.alone = whole_ns(longer * static_cast<double>(cost.alone.count()));
  return cost;
}

double ms(Nanoseconds time) { return to_ms(time); }

}  // namespace

DeviceShape device_shape(const Machine& machine) {
  DeviceShape shape;
  shape.compute_units = machine.device.compute_units;
  shape.dma_engines = machine.device.dma_engines;
  shape.unit_step = std::max(1, machine.model.unit_step);
  shape.fewest_left = shape.unit_step;
  const bool engine_left = shape.dma_engines >= machine.devices;
  shape.own_block = engine_left ? plan::OwnBlock::own_lane : plan::OwnBlock::first_lane;
  return shape;
}

Nanoseconds collective_alone(const Machine& machine, const plan::Request& request,
                             plan::Form form) {
  const DeviceShape device = device_shape(machine);
  plan::Method method;
  method.form = form;
  method.engines = std::max(1, device.dma_engines);
  method.own_block = device.own_block;
  return simulated_time(machine, plan::build(request, method), {});
}

C3Times against_baseline(const Prediction& prediction) {
  return {ms(prediction.t_gemm), ms(prediction.t_baseline), ms(prediction.t_c3)};
}

C3Times against_own(const Prediction& prediction) {
  return {ms(prediction.t_gemm), ms(prediction.t_fastest), ms(prediction.t_c3)};
}

double throttling(const Machine& machine, const GemmSpec& gemm, double share) {
  const PowerFacts& power = machine.model.power;
  const bool known = power.throttled > 0 && power.throttled_from < power.throttled_to;
  if (!known || bound_of(machine, gemm) != GemmBound::compute) return 1;
  const double part = (share - power.throttled_from) / (power.throttled_to - power.throttled_from);
  return 1 + (power.throttled - 1) * std::clamp(part, 0.0, 1.0);
}

ScenarioModel::ScenarioModel(const Machine& machine, const Scenario& scenario,
                             const GemmConditions& conditions)
    : machine_(machine),
      scenario_(scenario),
      gemm_(cost_of(machine, scenario, conditions)),
      request_(request_of(machine, scenario, sized(machine, scenario, gemm_.alone))),
      device_(device_shape(machine)) {}

Nanoseconds ScenarioModel::kernels_alone() const {
  if (!kernels_alone_) kernels_alone_ = collective_alone(machine_, request_, plan::Form::compute);
  return *kernels_alone_;
}

Nanoseconds ScenarioModel::dma_alone() const {
  if (device_.dma_engines == 0) return kernels_alone();
  if (!dma_alone_) dma_alone_ = collective_alone(machine_, request_, plan::Form::dma);
  return *dma_alone_;
}

C3Request ScenarioModel::c3_request(const Strategy& strategy, int budget) const {
  if (const auto reason = why_not(strategy, device_, budget); !reason.empty()) {
    throw InputError(fmt::format("strategy {}: {}", strategy.name, reason));
  }
  return {strategy, request_, device_, budget, plan::Direction::push};
}

Nanoseconds ScenarioModel::t_c3(const Strategy& strategy, int budget) const {
  const std::array tasks{gemm_};
  return simulated_time(machine_, plan(strategy, budget), tasks);
}

plan::Timeline ScenarioModel::timeline(const Strategy& strategy, int budget) const {
  const std::array tasks{gemm_};
  return simulate(machine_, plan(strategy, budget), tasks);
}

Prediction ScenarioModel::frame(const Strategy& strategy) const {
  Prediction prediction;
  prediction.scenario = scenario_.name;
  prediction.gemm = scenario_.gemm;
  prediction.request = request_;
  prediction.strategy = strategy.name;
  prediction.t_gemm = gemm_.alone;
  prediction.t_comm = strategy.form == plan::Form::dma ? dma_alone() : kernels_alone();
  prediction.t_baseline = kernels_alone();
  prediction.t_fastest = std::min(kernels_alone(), dma_alone());
  return prediction;
}

const SlowdownTable& ScenarioModel::slowdown_at(int budget) const {
  const auto share = share_without(device_, budget);
  const bool beside = share && share->kind == plan::Share::Kind::all_but;
  return beside && !gemm_.slowdown_beside.empty() ? gemm_.slowdown_beside : gemm_.slowdown;
}

std::vector<std::string> ScenarioModel::extrapolations(const Prediction& prediction) const {
  std::vector<std::string> found;
  const ModelFacts& model = machine_.model;
  const Bytes bytes = plan::total_bytes(request_);
  const bool fitted =
      model.fitted_to == 0 || (bytes >= model.fitted_from && bytes <= model.fitted_to);
  if (!fitted) {
    found.push_back(fmt::format("{} bytes; the model was fitted to {} .. {}", format_bytes(bytes),
                                format_bytes(model.fitted_from), format_bytes(model.fitted_to)));
  }
  const int left = device_.compute_units - prediction.budget;
  const SlowdownTable& table = slowdown_at(prediction.budget);
  if (!table.empty() && left < table.front().units) {
    found.push_back(fmt::format("a GEMM on {} compute units; its slowdown is known from {} on",
                                left, table.front().units));
  }
  return found;
}

Prediction ScenarioModel::predict(const Strategy& strategy, int budget) const {
  Prediction prediction = frame(strategy);
  prediction.budget = budget;
  prediction.t_c3 = t_c3(strategy, budget);
  prediction.extrapolated = extrapolations(prediction);
  return prediction;
}

Prediction ScenarioModel::predict(const Strategy& strategy) const {
  if (strategy.budget == BudgetKind::none) return predict(strategy, 0);
  const auto budgets = budgets_to_sweep(strategy, device_);
  if (budgets.empty()) {
    throw InputError(fmt::format("strategy {}: no budget can be tried; {}", strategy.name,
                                 why_not(strategy, device_, device_.unit_step)));
  }
  Prediction prediction = frame(strategy);
  for (const int budget : budgets) {
    const Nanoseconds time = t_c3(strategy, budget);
    if (prediction.sweep.empty() || time < prediction.t_c3) {
      prediction.budget = budget;
      prediction.t_c3 = time;
    }
    prediction.sweep.push_back({budget, time});
  }
  prediction.extrapolated = extrapolations(prediction);
  return prediction;
}

}  // namespace conccl::c3
