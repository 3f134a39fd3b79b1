// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `conccl c3 --machine`: a study by the model of contention, which touches no device.
#pragma once

#include <string>
#include <vector>

#include "cli/c3_screen.hpp"
#include "conccl/bench/study.hpp"

namespace conccl::cli {

struct PredictOptions {
  std::string machine;                ///< by name, or a file
  std::vector<std::string> settings;  ///< of that machine: FIELD=VALUE
  const bench::StudyOptions& study;   ///< its suite and strategies
  const ReportFiles& files;
};

/// Prints the table and writes the files. Throws InputError for a strategy that is not predicted,
/// and as `load_known_machine`, `with_settings` and `predict_report`.
[[nodiscard]] int predict(const PredictOptions& options);

}  // namespace conccl::cli
