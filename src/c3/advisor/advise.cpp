// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/advisor/advise.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "c3/advisor/judges.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

struct Reason {
  std::string_view strategy;
  std::string_view why;
};

/// When each pays; of others their own line is shown.
constexpr std::array kReasons = {
    Reason{"serial",
           "nothing disturbs anything: for what overlap would slow down more than it hides"},
    Reason{"c3_base",
           "it overlaps without any setting, where the GEMM leaves the collective units"},
    Reason{"c3_sp", "the collective gets its units at once, and few are lost to the GEMM"},
    Reason{"c3_rp", "each side has units that the other cannot take"},
    Reason{"c3_sp_rp", "as c3_rp, and the collective is enqueued first"},
    Reason{"conccl", "DMA engines move the bytes, and the GEMM keeps every compute unit"},
    Reason{"conccl_rp", "DMA engines move the bytes, and fewer units serve the GEMM better"},
};

std::string_view why_of(const Strategy& strategy) {
  const auto found = std::find_if(kReasons.begin(), kReasons.end(), [&](const Reason& reason) {
    return reason.strategy == strategy.name;
  });
  return found == kReasons.end() ? strategy.what : found->why;
}

bool may_be_taken(const Considered& one) {
  return one.probe.time.has_value() && one.probe.passed_over.empty();
}

bool is_among(std::span<const std::string> names, std::string_view name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

const Considered* find(std::span<const Considered> considered, std::string_view name) {
  const auto found = std::find_if(considered.begin(), considered.end(),
                                  [&](const Considered& one) { return one.name == name; });
  return found == considered.end() ? nullptr : &*found;
}

std::string names_of(std::span<const Considered> considered) {
  std::vector<std::string_view> names;
  for (const Considered& one : considered) names.push_back(one.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

const Considered& asked_for(std::span<const Considered> considered, std::string_view name) {
  const Considered* found = find(considered, name);
  if (found == nullptr) {
    throw InputError(
        fmt::format("strategy \"{}\": expected one of {}", name, names_of(considered)));
  }
  if (!found->probe.time) {
    throw InputError(fmt::format("strategy {}: not possible, because {}; expected one that is",
                                 name, found->probe.reason));
  }
  return *found;
}

bool on_dma_engines(const Considered& one) {
  return find_strategy(one.name).form == plan::Form::dma;
}

/// The share by which it takes longer than `fastest`.
double excess_of(const Considered& one, const Considered& fastest) {
  return static_cast<double>(one.probe.time->count()) /
             static_cast<double>(fastest.probe.time->count()) -
         1;
}

/// The next that takes longer than `best`; null: there is none.
const Considered* runner_up(std::span<const Considered> considered, const Considered& best) {
  const Considered* next = nullptr;
  for (const Considered& one : considered) {
    if (!may_be_taken(one) || *one.probe.time <= *best.probe.time) continue;
    if (next == nullptr || *one.probe.time < *next->probe.time) next = &one;
  }
  return next;
}

std::string ties_with(std::span<const Considered> considered, const Considered& best) {
  std::string text;
  for (const Considered& one : considered) {
    if (!may_be_taken(one) || one.name == best.name || *one.probe.time != *best.probe.time)
      continue;
    text += fmt::format(", as long as {}{}", one.name, &one > &best ? ", which comes later" : "");
  }
  return text;
}

std::string against_next(std::span<const Considered> considered, const Considered& best) {
  const Considered* next = runner_up(considered, best);
  if (next == nullptr) return ", and these rules leave no other";
  const auto longer = static_cast<double>(next->probe.time->count());
  const auto shorter = static_cast<double>(best.probe.time->count());
  return fmt::format(", {:.1f} % less than {}, the next", 100 * (longer - shorter) / longer,
                     next->name);
}

/// Of a choice that is not the fastest; empty: it is.
std::string beside_the_fastest(std::span<const Considered> considered, const Considered& chosen,
                               double error) {
  const Considered& fastest = *best_of(considered, {}, 0);
  if (*fastest.probe.time == *chosen.probe.time) return {};
  return fmt::format(
      ", {:.1f} % more than {}: within the model's error of {:.1f} %, where DMA engines go first",
      100 * excess_of(chosen, fastest), fastest.name, 100 * error);
}

std::string sentence_of(const Advice& advice, double error) {
  const Considered& chosen = chosen_of(advice);
  if (advice.chosen != advice.recommended) {
    const Considered& better = *find(advice.considered, advice.recommended);
    return fmt::format("{} was asked for; the rules take {}, {:.3f} ms instead of {:.3f}.",
                       chosen.name, better.name, to_ms(*better.probe.time),
                       to_ms(*chosen.probe.time));
  }
  const std::string beside = beside_the_fastest(advice.considered, chosen, error);
  if (!beside.empty()) {
    return fmt::format("{}, because {}: {:.3f} ms predicted{}.", chosen.name, chosen.why,
                       to_ms(*chosen.probe.time), beside);
  }
  return fmt::format("{}, because {}: {:.3f} ms predicted{}{}.", chosen.name, chosen.why,
                     to_ms(*chosen.probe.time), ties_with(advice.considered, chosen),
                     against_next(advice.considered, chosen));
}

}  // namespace

std::string_view name_of(RuleSet rules) { return rules == RuleSet::model ? "model" : "paper"; }

RuleSet parse_rule_set(std::string_view name) {
  for (const RuleSet rules : {RuleSet::model, RuleSet::paper}) {
    if (name_of(rules) == name) return rules;
  }
  throw InputError(fmt::format("rule set \"{}\": expected one of model, paper", name));
}

std::string_view what_of(RuleSet rules) {
  return rules == RuleSet::model
             ? "the smallest time by the model of contention, budgets swept"
             : "the ConCCL paper's rules; times are what they compute, without contention";
}

std::vector<Candidate> candidates(const Machine& machine, const Question& question, RuleSet rules) {
  const Judge judge =
      rules == RuleSet::model ? model_judge(machine, question) : paper_judge(machine, question);
  std::vector<Candidate> all;
  for (const Strategy& strategy : strategies()) {
    all.push_back(
        {strategy.name, why_of(strategy), [judge, &strategy] { return judge(strategy); }});
  }
  return all;
}

double error_of(const Machine& machine, RuleSet rules) {
  return rules == RuleSet::model ? machine.model.error : 0;
}

const Considered* best_of(std::span<const Considered> considered,
                          std::span<const std::string> names, double error) {
  const Considered* best = nullptr;
  for (const Considered& one : considered) {
    if (!may_be_taken(one) || !is_among(names, one.name)) continue;
    if (best == nullptr || *one.probe.time < *best->probe.time) best = &one;
  }
  if (best == nullptr || error == 0) return best;
  const auto not_told_apart = [&](const Considered& one) {
    return may_be_taken(one) && is_among(names, one.name) && on_dma_engines(one) &&
           excess_of(one, *best) <= error;
  };
  const auto last = std::find_if(considered.rbegin(), considered.rend(), not_told_apart);
  return last == considered.rend() ? best : &*last;
}

const Considered& chosen_of(const Advice& advice) {
  const Considered* found = find(advice.considered, advice.chosen);
  ensure(found != nullptr, "advice chooses one of its candidates");
  return *found;
}

Advice advise(const Machine& machine, const Question& question, RuleSet rules,
              std::string_view strategy, std::span<const std::string> among) {
  Advice advice;
  advice.rules = rules;
  advice.question = question;
  for (const Candidate& candidate : candidates(machine, question, rules)) {
    if (!is_among(among, candidate.name)) continue;
    advice.considered.push_back(
        {std::string(candidate.name), std::string(candidate.why), candidate.probe()});
  }
  const double error = error_of(machine, rules);
  const Considered* best = best_of(advice.considered, {}, error);
  ensure(best != nullptr, "a rule set takes one of its candidates");
  advice.recommended = best->name;
  advice.chosen =
      strategy.empty() ? advice.recommended : asked_for(advice.considered, strategy).name;
  advice.sentence = sentence_of(advice, error);
  return advice;
}

}  // namespace conccl::c3
