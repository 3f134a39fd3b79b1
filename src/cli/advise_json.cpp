// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <nlohmann/json.hpp>

#include "cli/advise_print.hpp"

namespace conccl::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Names may come from files: bytes that are not UTF-8 become U+FFFD rather than an exception.
std::string printed(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json json_of(const c3::Considered& one) {
  const c3::Probe& probe = one.probe;
  return {{"strategy", one.name},
          {"why", one.why},
          {"possible", probe.time.has_value()},
          {"t_c3_ms", probe.time ? Json(to_ms(*probe.time)) : Json(nullptr)},
          {"budget", probe.time ? Json(probe.budget) : Json(nullptr)},
          {"reason", probe.reason},
          {"passed_over", text_or_null(probe.passed_over)},
          {"extrapolated", probe.extrapolated}};
}

Json json_of(const c3::Setting& setting) {
  return {{"where", setting.where}, {"what", setting.what}, {"source", setting.source}};
}

Json json_of(const c3::Verdict& verdict) {
  return {{"scenarios", verdict.scenarios},
          {"right", verdict.right},
          {"without_choice", verdict.without_choice},
          {"mean_loss", verdict.mean_loss},
          {"worst_loss", verdict.worst_loss}};
}

Json json_of(const c3::JudgedChoice& choice) {
  return {{"scenario", choice.scenario},
          {"collective", plan::name_of(choice.collective)},
          {"chosen", text_or_null(choice.chosen)},
          {"best", choice.best},
          {"loss", choice.chosen.empty() ? Json(nullptr) : Json(choice.loss)},
          {"right", choice.right}};
}

Json json_of(const c3::JudgedSplit& split) {
  return {{"scenario", split.scenario},
          {"collective", plan::name_of(split.collective)},
          {"chosen", split.chosen},
          {"best", split.best},
          {"loss", split.loss}};
}

template <typename Item>
Json list_of(const std::vector<Item>& items) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(json_of(item));
  return list;
}

}  // namespace

std::string to_json(const ShownAdvice& shown) {
  const c3::Advice& advice = shown.advice;
  return printed({{"schema", "conccl.advise/1"},
                  {"source", "model"},
                  {"machine", shown.machine.name},
                  {"gemm", to_string(advice.question.gemm.shape)},
                  {"gemm_type", name_of(advice.question.gemm.type)},
                  {"collective", plan::name_of(advice.question.collective)},
                  {"bytes", advice.question.bytes},
                  {"ranks", shown.machine.devices},
                  {"rules", c3::name_of(advice.rules)},
                  {"candidates", list_of(advice.considered)},
                  {"recommended", advice.recommended},
                  {"chosen", advice.chosen},
                  {"sentence", advice.sentence},
                  {"settings", list_of(shown.settings)}});
}

std::string to_json(const ShownEvaluation& shown) {
  return printed({{"schema", "conccl.advise_evaluation/1"},
                  {"machine", shown.machine.name},
                  {"report_machine", shown.report.machine},
                  {"report_source", shown.report.source},
                  {"report_partial", shown.report.partial},
                  {"rules", c3::name_of(shown.rules)},
                  {"choices", list_of(shown.evaluation.choices)},
                  {"splits", list_of(shown.evaluation.splits)},
                  {"of_choices", json_of(shown.evaluation.of_choices)},
                  {"of_splits", json_of(shown.evaluation.of_splits)}});
}

}  // namespace conccl::cli
