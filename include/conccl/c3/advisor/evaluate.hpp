// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// How good the advice is: choices of a rule set beside the times of a study, measured or a
/// model's.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conccl/c3/advisor/advise.hpp"

namespace conccl::c3 {

/// A budget that a study tried, and the time with it.
struct TriedBudget {
  int budget = 0;
  double t_c3_ms = 0;
};

/// One strategy of a scenario in a study: the median and the range of its times.
struct Outcome {
  std::string strategy;
  double t_c3_ms = 0;
  double low_ms = 0;
  double high_ms = 0;
  std::vector<TriedBudget> sweep;  ///< empty without a budget
};

/// One scenario of a study.
struct StudyCase {
  std::string scenario;
  Question question;
  int ranks = 0;
  std::vector<Outcome> outcomes;
};

/// One scenario's choice, which is among the strategies that the study has.
struct JudgedChoice {
  std::string scenario;
  plan::Collective collective = plan::Collective::all_gather;
  std::string chosen;  ///< empty: the rules take none of those that the study has
  std::string best;    ///< the fastest of the study, of equal ones the first
  double loss = 0;     ///< the choice's time over the best one's, less 1
  bool right = false;  ///< the choice's median is within the range of the best one's times
};

/// The rules' number of units in a split (c3_rp), beside the study's sweep of them.
struct JudgedSplit {
  std::string scenario;
  plan::Collective collective = plan::Collective::all_gather;
  int chosen = 0;
  int best = 0;
  double loss = 0;
};

/// Means over choices; a scenario without one counts as not right, and has no loss.
struct Verdict {
  int scenarios = 0;
  int right = 0;
  int without_choice = 0;
  double mean_loss = 0;
  double worst_loss = 0;
};

struct Evaluation {
  std::vector<JudgedChoice> choices;
  std::vector<JudgedSplit> splits;  ///< where the study tried the rules' number of units
  Verdict of_choices;
  Verdict of_splits;  ///< right: none tried is faster
};

/// Throws InputError for a case with other ranks than the machine has devices, and as `candidates`.
[[nodiscard]] Evaluation evaluate(const Machine& machine, std::span<const StudyCase> cases,
                                  RuleSet rules);

}  // namespace conccl::c3
