// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/scenario_study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/against_ideal.hpp"
#include "bench/attribution/attribution_rounds.hpp"
#include "bench/sustained/sustained_rounds.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

using plan::Form;

constexpr int kSweepWarmup = 1;
// Few rounds choose a budget: a gain of less than two percent may be none.
constexpr double kWorthGivingUp = 0.98;
// What takes longer has its causes found in the few rounds that attribution makes by default.
constexpr double kShortMs = 1;

/// The isolated configurations stand first, in this order; a vendor's collectives and then the
/// strategies follow.
constexpr std::size_t kGemm = 0;
constexpr std::size_t kCommCompute = 1;
constexpr std::size_t kCommDma = 2;
constexpr std::size_t kOwnIsolated = 3;

bool has_budget(const c3::Strategy& strategy) { return strategy.budget != c3::BudgetKind::none; }

/// What a failed check says was running.
void name_after(const c3::Scenario& scenario, std::vector<Measurement>& measurements) {
  for (auto& entry : measurements) {
    entry.configuration.name = fmt::format(
        "{} {}: {}", scenario.name, plan::name_of(scenario.collective), entry.configuration.name);
  }
}

/// The fastest, unless giving nothing up is as fast but for noise.
int chosen_budget(const std::vector<SweepPoint>& sweep) {
  const auto fastest = std::min_element(
      sweep.begin(), sweep.end(),
      [](const SweepPoint& a, const SweepPoint& b) { return a.t_c3_ms < b.t_c3_ms; });
  const SweepPoint& first = sweep.front();
  const bool no_gain = fastest->t_c3_ms > kWorthGivingUp * first.t_c3_ms;
  return first.budget == 0 && no_gain ? 0 : fastest->budget;
}

Nanoseconds from_ms(double ms) { return std::chrono::duration_cast<Nanoseconds>(Milliseconds(ms)); }

}  // namespace

ScenarioStudy::ScenarioStudy(const StudyParts& parts, const c3::DeviceShape& device,
                             const std::vector<c3::Strategy>& strategies)
    : rig_(parts.rig),
      peers_(parts.peers),
      follow_up_(parts.follow_up),
      capabilities_(parts.capabilities),
      options_(parts.options),
      interrupt_(parts.interrupt),
      device_(device),
      strategies_(strategies),
      vendor_(peers_.carriers()) {}

int ScenarioStudy::round_count() const {
  const bool sweeps = std::any_of(strategies_.begin(), strategies_.end(), has_budget);
  return (sweeps ? kSweepWarmup + options_.sweep_rounds : 0) + options_.warmup + options_.rounds;
}

Measurement ScenarioStudy::strategy_measurement(const Stage& stage, const c3::Strategy& strategy,
                                                int budget) const {
  const plan::Request& request = stage.workload.request();
  return {stage.peers.together({strategy, request, device_, budget, plan::Direction::push}),
          {Parts::Kind::both},
          {},
          {}};
}

std::vector<ScenarioStudy::Choice> ScenarioStudy::choose_budgets(const Stage& stage) const {
  std::vector<Choice> choices;
  std::vector<Measurement> sweeps;
  std::vector<std::pair<std::size_t, int>> owners;
  for (const auto& strategy : strategies_) {
    choices.push_back({strategy, 0, {}});
    if (!has_budget(strategy)) continue;
    for (const int budget : c3::budgets_to_sweep(strategy, device_)) {
      sweeps.push_back(strategy_measurement(stage, strategy, budget));
      owners.emplace_back(choices.size() - 1, budget);
    }
  }
  if (sweeps.empty()) return choices;
  name_after(stage.scenario, sweeps);
  measure_rounds(stage.workload, sweeps, {kSweepWarmup, options_.sweep_rounds, options_.rest},
                 stage.random, stage.after_round);
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    choices[owners[i].first].sweep.push_back({owners[i].second, median(sweeps[i].times_ms)});
  }
  for (auto& choice : choices) {
    if (!choice.sweep.empty()) choice.budget = chosen_budget(choice.sweep);
  }
  return choices;
}

std::vector<Measurement> ScenarioStudy::all_measurements(const Stage& stage,
                                                         const std::vector<Choice>& choices) const {
  const plan::Request& request = stage.workload.request();
  std::vector<Measurement> all;
  plan::Method method;
  method.form = Form::compute;
  all.push_back({gemm_alone(request, {}), {Parts::Kind::gemm}, {}, {}});
  all.push_back({collective_alone(request, method), {Parts::Kind::comm}, {}, {}});
  const bool has_engines = device_.dma_engines > 0;
  all.push_back({has_engines ? dma_alone(request, device_) : collective_alone(request, method),
                 {Parts::Kind::comm},
                 {},
                 {}});
  for (const auto carrier : vendor_) {
    all.push_back({stage.peers.alone(carrier), {Parts::Kind::comm}, {}, {}});
  }
  for (const auto& choice : choices) {
    all.push_back(strategy_measurement(stage, choice.strategy, choice.budget));
  }
  return all;
}

ScenarioOutcome ScenarioStudy::run(const c3::Scenario& scenario, const Size& size,
                                   std::mt19937_64& random,
                                   const std::function<void()>& after_round) {
  const auto gemms = make_gemms(rig_, size.gemm, options_.seed);
  Workload workload(rig_, request_for(scenario.collective, rig_.ranks().size(), size.block), gemms);
  static_cast<void>(workload.run_unchecked(gemm_alone(workload.request(), {})));
  for (const auto& gemm : gemms) gemm->keep_reference();
  AttachedPeers attached(peers_, workload);
  try {
    auto outcome = run_on({scenario, workload, gemms, attached, random, after_round}, size);
    attached.detach();
    return outcome;
  } catch (...) {
    peers_.give_up();
    throw;
  }
}

ScenarioOutcome ScenarioStudy::run_on(const Stage& stage, const Size& size) const {
  const auto choices = choose_budgets(stage);
  auto measurements = all_measurements(stage, choices);
  name_after(stage.scenario, measurements);
  const Seconds span = measure_rounds(stage.workload, measurements,
                                      {options_.warmup, options_.rounds, options_.rest},
                                      stage.random, stage.after_round);
  auto list = results(stage, size, choices, measurements);
  const double share = gemm_share(measurements, median(measurements[kGemm].times_ms), span);
  for (auto& result : list) result.gemm_share = share;
  follow_up_.look(stage.workload, std::span(measurements).last(list.size()), list);
  attribute(stage, choices, measurements, list);
  ScenarioOutcome outcome{std::move(list), {}};
  if (options_.sustained.count() > 0) outcome.sustained = sustain(stage, choices, measurements);
  return outcome;
}

void ScenarioStudy::attribute(const Stage& stage, const std::vector<Choice>& choices,
                              const std::vector<Measurement>& measured,
                              std::vector<Result>& list) const {
  if (capabilities_.emulation || options_.attribution == AttributionPolicy::none) return;
  AttributionOptions options;
  options.rest = options_.rest;
  if (median(measured[kOwnIsolated + vendor_.size()].times_ms) < kShortMs) {
    options.rounds = std::max(options.rounds, options_.rounds);
  }
  AttributionRounds rounds({rig_, stage.workload, stage.gemms, capabilities_}, options);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (choices[i].strategy.form != Form::dma) continue;
    const auto& comm = measured[isolated_comm(choices[i].strategy)];
    const auto& entry = measured[kOwnIsolated + vendor_.size() + i];
    const Loss loss =
        loss_of({measured[kGemm].times_ms, comm.times_ms, entry.times_ms, options_.seed});
    if (!matters(loss)) continue;
    list[i].attribution = rounds.run(
        {fmt::format("{} {}", stage.scenario.name, plan::name_of(stage.scenario.collective)),
         list[i].strategy, entry.configuration, comm.configuration},
        stage.random);
  }
}

Sustained ScenarioStudy::sustain(const Stage& stage, const std::vector<Choice>& choices,
                                 const std::vector<Measurement>& measured) const {
  SustainedOptions options;
  options.each = options_.sustained;
  options.deadline = options_.deadline;
  SustainedRounds rounds({rig_.ranks(), stage.workload, stage.gemms, interrupt_}, options);
  Sustained result{
      fmt::format("{} {}", stage.scenario.name, plan::name_of(stage.scenario.collective)), {}};
  const auto add = [&](std::string name, const Measurement& entry) {
    result.times.push_back(
        rounds.run({std::move(name), entry.configuration, entry.parts, median(entry.times_ms)}));
  };
  add("gemm", measured[kGemm]);
  add("comm", measured[kCommDma]);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i].strategy.form != Form::dma) continue;
    add(std::string(choices[i].strategy.name), measured[kOwnIsolated + vendor_.size() + i]);
  }
  return result;
}

std::size_t ScenarioStudy::vendor_comm(c3::Carrier carrier) const {
  const auto found = std::find(vendor_.begin(), vendor_.end(), carrier);
  ensure(found != vendor_.end(), "a strategy runs with a carrier that is there");
  return kOwnIsolated + static_cast<std::size_t>(found - vendor_.begin());
}

std::size_t ScenarioStudy::isolated_comm(const c3::Strategy& strategy) const {
  if (strategy.carrier != c3::Carrier::own) return vendor_comm(strategy.carrier);
  return strategy.form == Form::dma ? kCommDma : kCommCompute;
}

void ScenarioStudy::compare(Result& result, const c3::Strategy& strategy, const Measurement& entry,
                            const std::vector<Measurement>& measured) const {
  const auto& gemm = measured[kGemm].times_ms;
  const auto against = [&](const Measurement& comm) {
    return against_ideal({gemm, comm.times_ms, entry.times_ms, options_.seed});
  };
  const auto first = measured.begin() + kCommCompute;
  const auto last = measured.begin() + static_cast<std::ptrdiff_t>(kOwnIsolated + vendor_.size());
  result.own = against(*std::min_element(first, last, [](const auto& a, const auto& b) {
    return median(a.times_ms) < median(b.times_ms);
  }));
  const Measurement* baseline = nullptr;
  if (peers_.find(c3::Carrier::vendor_kernels) != nullptr) {
    baseline = &measured[vendor_comm(c3::Carrier::vendor_kernels)];
    result.baseline = against(*baseline);
  }
  const auto& class_comm = baseline != nullptr ? *baseline : measured[kCommCompute];
  result.t_gemm_ms = summarize(gemm);
  result.t_comm_ms = summarize(measured[isolated_comm(strategy)].times_ms);
  result.t_c3_ms = summarize(entry.times_ms);
  result.balance =
      c3::balance_of(from_ms(result.t_gemm_ms.median), from_ms(median(class_comm.times_ms)));
}

std::vector<Result> ScenarioStudy::results(const Stage& stage, const Size& size,
                                           const std::vector<Choice>& choices,
                                           const std::vector<Measurement>& measured) const {
  std::vector<Result> list;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto& entry = measured[kOwnIsolated + vendor_.size() + i];
    Result result;
    result.scenario = stage.scenario.name;
    result.gemm = size.gemm;
    result.collective = stage.scenario.collective;
    result.strategy = choices[i].strategy.name;
    result.bytes = plan::total_bytes(entry.configuration.request);
    result.bytes_per_peer = size.block;
    result.ranks = rig_.ranks().size();
    result.budget = choices[i].budget;
    result.sweep = choices[i].sweep;
    compare(result, choices[i].strategy, entry, measured);
    result.check = entry.counts;
    list.push_back(std::move(result));
  }
  return list;
}

}  // namespace conccl::bench
