// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/scenario_study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/against_ideal.hpp"

namespace conccl::bench {
namespace {

using plan::Form;

constexpr int kSweepWarmup = 1;

/// The isolated configurations stand first, in this order; the strategies follow.
constexpr std::size_t kGemm = 0;
constexpr std::size_t kCommCompute = 1;
constexpr std::size_t kCommDma = 2;
constexpr std::size_t kIsolatedCount = 3;

bool has_budget(const c3::Strategy& strategy) { return strategy.budget != c3::BudgetKind::none; }

/// What a failed check says was running.
void name_after(const c3::Scenario& scenario, std::vector<Measurement>& measurements) {
  for (auto& entry : measurements) {
    entry.configuration.name = fmt::format(
        "{} {}: {}", scenario.name, plan::name_of(scenario.collective), entry.configuration.name);
  }
}

Nanoseconds from_ms(double ms) { return std::chrono::duration_cast<Nanoseconds>(Milliseconds(ms)); }

}  // namespace

ScenarioStudy::ScenarioStudy(Rig& rig, const StudyOptions& options, const c3::DeviceShape& device,
                             const std::vector<c3::Strategy>& strategies)
    : rig_(rig), options_(options), device_(device), strategies_(strategies) {}

int ScenarioStudy::round_count() const {
  const bool sweeps = std::any_of(strategies_.begin(), strategies_.end(), has_budget);
  return (sweeps ? kSweepWarmup + options_.sweep_rounds : 0) + options_.warmup + options_.rounds;
}

Measurement ScenarioStudy::strategy_measurement(const plan::Request& request,
                                                const c3::Strategy& strategy, int budget) const {
  c3::C3Request c3_request{strategy, request, device_, budget, plan::Direction::push};
  plan::Plan whole = c3::c3_plan(c3_request);
  return {{std::string(strategy.name), request, whole.flags, std::move(whole.ranks)},
          {Parts::Kind::both},
          {},
          {}};
}

std::vector<ScenarioStudy::Choice> ScenarioStudy::choose_budgets(
    const c3::Scenario& scenario, Workload& workload, std::mt19937_64& random,
    const std::function<void()>& after_round) const {
  std::vector<Choice> choices;
  std::vector<Measurement> sweeps;
  std::vector<std::pair<std::size_t, int>> owners;
  for (const auto& strategy : strategies_) {
    choices.push_back({strategy, 0, {}});
    if (!has_budget(strategy)) continue;
    for (const int budget : c3::budgets_to_sweep(strategy, device_)) {
      sweeps.push_back(strategy_measurement(workload.request(), strategy, budget));
      owners.emplace_back(choices.size() - 1, budget);
    }
  }
  if (sweeps.empty()) return choices;
  name_after(scenario, sweeps);
  measure_rounds(workload, sweeps, {kSweepWarmup, options_.sweep_rounds}, random, after_round);
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    choices[owners[i].first].sweep.push_back({owners[i].second, median(sweeps[i].times_ms)});
  }
  for (auto& choice : choices) {
    if (choice.sweep.empty()) continue;
    choice.budget = std::min_element(choice.sweep.begin(), choice.sweep.end(),
                                     [](const SweepPoint& a, const SweepPoint& b) {
                                       return a.t_c3_ms < b.t_c3_ms;
                                     })
                        ->budget;
  }
  return choices;
}

std::vector<Measurement> ScenarioStudy::all_measurements(const plan::Request& request,
                                                         const std::vector<Choice>& choices) const {
  std::vector<Measurement> all;
  plan::Method method;
  method.form = Form::compute;
  all.push_back({gemm_alone(request, {}), {Parts::Kind::gemm}, {}, {}});
  all.push_back({collective_alone(request, method), {Parts::Kind::comm}, {}, {}});
  method.form = device_.dma_engines > 0 ? Form::dma : Form::compute;
  method.engines = device_.dma_engines;
  all.push_back({collective_alone(request, method), {Parts::Kind::comm}, {}, {}});
  for (const auto& choice : choices) {
    all.push_back(strategy_measurement(request, choice.strategy, choice.budget));
  }
  return all;
}

std::vector<Result> ScenarioStudy::run(const c3::Scenario& scenario, const Size& size,
                                       std::mt19937_64& random,
                                       const std::function<void()>& after_round) {
  const auto gemms = make_gemms(rig_, size.gemm, options_.seed);
  Workload workload(rig_, request_for(scenario.collective, rig_.ranks().size(), size.block), gemms);
  static_cast<void>(workload.run_unchecked(gemm_alone(workload.request(), {})));
  for (const auto& gemm : gemms) gemm->keep_reference();

  const auto choices = choose_budgets(scenario, workload, random, after_round);
  auto measurements = all_measurements(workload.request(), choices);
  name_after(scenario, measurements);
  measure_rounds(workload, measurements, {options_.warmup, options_.rounds}, random, after_round);
  return results(scenario, size, choices, measurements);
}

std::vector<Result> ScenarioStudy::results(const c3::Scenario& scenario, const Size& size,
                                           const std::vector<Choice>& choices,
                                           const std::vector<Measurement>& measured) const {
  const auto fastest_comm =
      median(measured[kCommDma].times_ms) < median(measured[kCommCompute].times_ms) ? kCommDma
                                                                                    : kCommCompute;
  std::vector<Result> list;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto& entry = measured[kIsolatedCount + i];
    const auto own_form = choices[i].strategy.form == Form::dma ? kCommDma : kCommCompute;
    Result result;
    result.scenario = scenario.name;
    result.gemm = size.gemm;
    result.collective = scenario.collective;
    result.strategy = choices[i].strategy.name;
    result.bytes = plan::total_bytes(entry.configuration.request);
    result.bytes_per_peer = size.block;
    result.ranks = rig_.ranks().size();
    result.budget = choices[i].budget;
    result.sweep = choices[i].sweep;
    result.t_gemm_ms = summarize(measured[kGemm].times_ms);
    result.t_comm_ms = summarize(measured[own_form].times_ms);
    result.t_c3_ms = summarize(entry.times_ms);
    result.balance = c3::balance_of(from_ms(result.t_gemm_ms.median),
                                    from_ms(median(measured[kCommCompute].times_ms)));
    result.own = against_ideal(
        {measured[kGemm].times_ms, measured[fastest_comm].times_ms, entry.times_ms, options_.seed});
    result.check = entry.counts;
    list.push_back(std::move(result));
  }
  return list;
}

}  // namespace conccl::bench
