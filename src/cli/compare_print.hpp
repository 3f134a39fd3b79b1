// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Measured studies beside the model's predictions, as text, JSON and CSV. Every time is labelled
/// as predicted or measured.
#pragma once

#include <string>
#include <vector>

#include "cli/report_reader.hpp"
#include "conccl/c3/model/compare.hpp"

namespace conccl::cli {

/// A comparison with what it is of.
struct ShownComparison {
  const Machine& machine;
  const std::vector<StudyReport>& reports;
  const c3::Comparison& comparison;
};

[[nodiscard]] std::string to_text(const ShownComparison& shown);
/// Schema "conccl.compared/1".
[[nodiscard]] std::string to_json(const ShownComparison& shown);
/// One line per row that is compared, with a header line; tools/scatter_plot.py reads it.
[[nodiscard]] std::string to_csv(const ShownComparison& shown);

}  // namespace conccl::cli
