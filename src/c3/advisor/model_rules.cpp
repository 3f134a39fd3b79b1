// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <memory>

#include "c3/advisor/judges.hpp"
#include "conccl/c3/model/predict.hpp"

namespace conccl::c3 {
namespace {

Scenario scenario_of(const Question& question) {
  Scenario scenario;
  scenario.name = to_string(question.gemm.shape);
  scenario.gemm = question.gemm;
  scenario.collective = question.collective;
  scenario.bytes = question.bytes;
  return scenario;
}

std::string model_reason(const Prediction& prediction) {
  auto alone =
      fmt::format("alone {:.3f} and {:.3f} ms", to_ms(prediction.t_gemm), to_ms(prediction.t_comm));
  if (prediction.sweep.empty()) return alone;
  return fmt::format("{}; best of {} budgets", alone, prediction.sweep.size());
}

Probe model_probe(const Machine& machine, const ScenarioModel& model, const Strategy& strategy) {
  Probe probe;
  probe.reason = why_no_prediction(machine, strategy);
  if (!probe.reason.empty()) return probe;
  const Prediction prediction = model.predict(strategy);
  probe.time = prediction.t_c3;
  probe.budget = prediction.budget;
  probe.reason = model_reason(prediction);
  probe.extrapolated = prediction.extrapolated;
  return probe;
}

}  // namespace

Judge model_judge(const Machine& machine, const Question& question) {
  const auto model = std::make_shared<const ScenarioModel>(machine, scenario_of(question));
  return [&machine, model](const Strategy& strategy) {
    return model_probe(machine, *model, strategy);
  };
}

}  // namespace conccl::c3
