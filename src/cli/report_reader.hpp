// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Reading what `conccl c3 --json` wrote.
#pragma once

#include <string>
#include <vector>

#include "conccl/c3/advisor/evaluate.hpp"
#include "conccl/c3/model/compare.hpp"

namespace conccl::cli {

struct StudyReport {
  std::string name;  ///< what errors call it: its path
  std::string machine;
  std::string source;  ///< "measured", "model", or "measured and model"
  bool emulation = false;
  bool partial = false;
  std::vector<c3::StudyCase> cases;   ///< in the report's order
  std::vector<c3::MeasuredRow> rows;  ///< the same results one by one, whatever their source
};

/// Throws InputError with file, line and column for what is no JSON, with file and field for
/// another schema, a field that is missing or out of range, a strategy that a scenario has twice,
/// and no results.
[[nodiscard]] StudyReport read_study_report(const std::string& path);
/// The same of the text; `name` is what errors call it.
[[nodiscard]] StudyReport parse_study_report(std::string_view text, const std::string& name);

}  // namespace conccl::cli
