// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Advice and its evaluation as text and JSON. Every time is labelled a model's.
#pragma once

#include <string>
#include <vector>

#include "cli/report_reader.hpp"
#include "conccl/c3/advisor/advise.hpp"
#include "conccl/c3/advisor/evaluate.hpp"
#include "conccl/c3/advisor/settings.hpp"

namespace conccl::cli {

/// Advice with what it was asked for.
struct ShownAdvice {
  const Machine& machine;
  const c3::Advice& advice;
  std::vector<c3::Setting> settings;
};

[[nodiscard]] std::string to_text(const ShownAdvice& shown);
/// Schema "conccl.advise/1".
[[nodiscard]] std::string to_json(const ShownAdvice& shown);

/// An evaluation with the study that it is of.
struct ShownEvaluation {
  const Machine& machine;
  const StudyReport& report;
  c3::RuleSet rules = c3::RuleSet::model;
  const c3::Evaluation& evaluation;
};

[[nodiscard]] std::string to_text(const ShownEvaluation& shown);
/// Schema "conccl.advise_evaluation/1".
[[nodiscard]] std::string to_json(const ShownEvaluation& shown);

}  // namespace conccl::cli
