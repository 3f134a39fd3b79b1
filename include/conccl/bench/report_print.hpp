// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Printers of a report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conccl/bench/report.hpp"

namespace conccl::bench {

inline constexpr std::string_view kReportSchema = "conccl.c3/6";
/// Without `rest`.
inline constexpr std::string_view kReportSchema5 = "conccl.c3/5";
/// Without `gemm_share` too.
inline constexpr std::string_view kReportSchema4 = "conccl.c3/4";

/// The lines above the table: machine, library, suite, seed, what emulation means.
[[nodiscard]] std::string table_head(const Report& report);
/// Column titles for the strategies of a study.
[[nodiscard]] std::string table_titles(const std::vector<std::string>& strategies);
/// One line for the results of one scenario (all of its strategies, in the order of the titles).
[[nodiscard]] std::string table_row(const std::vector<Result>& of_one_scenario);
/// Summary per strategy, over all and per collective; classes found; bytes checked; what was
/// skipped.
[[nodiscard]] std::string table_foot(const Report& report);

/// JSON with `"schema": "conccl.c3/6"`; docs/measuring.md describes each field.
[[nodiscard]] std::string to_json(const Report& report);
/// A cell of a CSV line as RFC 4180 has it: quoted only where needed, quotes doubled.
[[nodiscard]] std::string csv_cell(std::string_view text);
/// One line per result, with a header line.
[[nodiscard]] std::string to_csv(const Report& report);

}  // namespace conccl::bench
