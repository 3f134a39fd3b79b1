// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/advisor/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

/// The strategy whose budget the paper's rule for a split chooses.
constexpr std::string_view kSplit = "c3_rp";

void check_case(const Machine& machine, const StudyCase& one) {
  if (one.ranks != machine.devices) {
    throw InputError(
        fmt::format("scenario {}: {} ranks, but machine \"{}\" has {} devices; "
                    "expected the machine of the report",
                    one.scenario, one.ranks, machine.name, machine.devices));
  }
  if (one.outcomes.empty()) {
    throw InputError(fmt::format("scenario {}: no results; expected at least one", one.scenario));
  }
}

const Outcome* find(const StudyCase& one, std::string_view strategy) {
  const auto found =
      std::find_if(one.outcomes.begin(), one.outcomes.end(),
                   [&](const Outcome& outcome) { return outcome.strategy == strategy; });
  return found == one.outcomes.end() ? nullptr : &*found;
}

std::vector<Considered> consider(const Machine& machine, const StudyCase& one, RuleSet rules) {
  std::vector<Considered> all;
  for (const Candidate& candidate : candidates(machine, one.question, rules)) {
    all.push_back({std::string(candidate.name), std::string(candidate.why), candidate.probe()});
  }
  return all;
}

std::vector<std::string> names_in(const StudyCase& one) {
  std::vector<std::string> names;
  for (const Outcome& outcome : one.outcomes) names.push_back(outcome.strategy);
  return names;
}

JudgedChoice judge_choice(const StudyCase& one, std::span<const Considered> considered,
                          double error) {
  const auto best =
      std::min_element(one.outcomes.begin(), one.outcomes.end(),
                       [](const Outcome& a, const Outcome& b) { return a.t_c3_ms < b.t_c3_ms; });
  JudgedChoice choice{one.scenario, one.question.collective, {}, best->strategy};
  const Considered* taken = best_of(considered, names_in(one), error);
  if (taken == nullptr) return choice;
  const Outcome& chosen = *find(one, taken->name);
  choice.chosen = chosen.strategy;
  choice.loss = chosen.t_c3_ms / best->t_c3_ms - 1;
  choice.right = chosen.t_c3_ms <= best->high_ms;
  return choice;
}

std::optional<JudgedSplit> judge_split(const StudyCase& one,
                                       std::span<const Considered> considered) {
  const Outcome* tried = find(one, kSplit);
  const auto rule = std::find_if(considered.begin(), considered.end(),
                                 [](const Considered& each) { return each.name == kSplit; });
  if (tried == nullptr || rule == considered.end() || !rule->probe.time) return std::nullopt;
  const auto& sweep = tried->sweep;
  const auto chosen = std::find_if(sweep.begin(), sweep.end(), [&](const TriedBudget& point) {
    return point.budget == rule->probe.budget;
  });
  if (chosen == sweep.end()) return std::nullopt;
  const auto best = std::min_element(
      sweep.begin(), sweep.end(),
      [](const TriedBudget& a, const TriedBudget& b) { return a.t_c3_ms < b.t_c3_ms; });
  return JudgedSplit{one.scenario, one.question.collective, chosen->budget, best->budget,
                     chosen->t_c3_ms / best->t_c3_ms - 1};
}

void count(Verdict& verdict, double loss, bool right) {
  ++verdict.scenarios;
  if (right) ++verdict.right;
  verdict.mean_loss += loss;
  verdict.worst_loss = std::max(verdict.worst_loss, loss);
}

void finish(Verdict& verdict) {
  const int judged = verdict.scenarios - verdict.without_choice;
  if (judged > 0) verdict.mean_loss /= judged;
}

}  // namespace

Evaluation evaluate(const Machine& machine, std::span<const StudyCase> cases, RuleSet rules) {
  Evaluation result;
  for (const StudyCase& one : cases) {
    check_case(machine, one);
    const auto considered = consider(machine, one, rules);
    const auto& choice =
        result.choices.emplace_back(judge_choice(one, considered, error_of(machine, rules)));
    count(result.of_choices, choice.loss, choice.right);
    if (choice.chosen.empty()) ++result.of_choices.without_choice;
    const auto split = judge_split(one, considered);
    if (!split) continue;
    result.splits.push_back(*split);
    count(result.of_splits, split->loss, split->loss == 0);
  }
  finish(result.of_choices);
  finish(result.of_splits);
  return result;
}

}  // namespace conccl::c3
