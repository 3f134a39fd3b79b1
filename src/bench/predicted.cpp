// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/bench/predicted.hpp"

#include <fmt/format.h>

#include "bench/trace/trace_json.hpp"
#include "conccl/c3/model/predict.hpp"

namespace conccl::bench {
namespace {

Summary exactly(Nanoseconds time) {
  const double value = to_ms(time);
  return {value, value, value, 1};
}

AgainstIdeal against(const c3::C3Times& times) {
  return {times.t_comm_ms, c3::speedup(times), c3::ideal_speedup(times),
          c3::percent_of_ideal(times), std::nullopt};
}

Result result_of(const c3::Prediction& prediction) {
  Result result;
  result.scenario = prediction.scenario;
  result.gemm = prediction.gemm;
  result.collective = prediction.request.collective;
  result.strategy = prediction.strategy;
  result.bytes = plan::total_bytes(prediction.request);
  result.bytes_per_peer = prediction.request.block;
  result.ranks = prediction.request.ranks;
  result.balance = c3::balance_of(prediction.t_gemm, prediction.t_baseline);
  result.budget = prediction.budget;
  result.t_gemm_ms = exactly(prediction.t_gemm);
  result.t_comm_ms = exactly(prediction.t_comm);
  result.t_c3_ms = exactly(prediction.t_c3);
  result.own = against(c3::against_own(prediction));
  result.baseline = against(c3::against_baseline(prediction));
  for (const auto& point : prediction.sweep) {
    result.sweep.push_back({point.budget, to_ms(point.t_c3)});
  }
  result.extrapolated = prediction.extrapolated;
  result.source = kFromModel;
  return result;
}

}  // namespace

Report predict_report(const Machine& machine, const c3::Suite& suite,
                      std::span<const c3::Strategy> strategies) {
  Report report;
  report.machine = machine;
  report.predicted = true;
  report.suite = suite.name;
  report.suite_hash = suite.hash;
  report.ranks = machine.devices;
  for (const auto& prediction : c3::predict_suite(machine, suite, strategies)) {
    report.results.push_back(result_of(prediction));
  }
  for (const auto& strategy : strategies) {
    if (const auto reason = c3::why_no_prediction(machine, strategy); !reason.empty()) {
      report.skipped.push_back({std::string(strategy.name), reason});
    }
  }
  return report;
}

std::string predict_trace(const Machine& machine, const c3::Suite& suite,
                          std::span<const c3::Strategy> strategies) {
  std::vector<TracedRun> runs;
  for (const auto& scenario : suite.scenarios) {
    const c3::ScenarioModel model(machine, scenario);
    for (const auto& strategy : strategies) {
      if (!c3::why_no_prediction(machine, strategy).empty()) continue;
      const auto prediction = model.predict(strategy);
      runs.push_back({fmt::format("{} {} {}", scenario.name, plan::name_of(scenario.collective),
                                  strategy.name),
                      model.plan(strategy, prediction.budget).ranks,
                      model.timeline(strategy, prediction.budget),
                      {}});
    }
  }
  return trace_json({fmt::format("{} (model)", machine.name), false, TraceClock::shared}, runs);
}

}  // namespace conccl::bench
