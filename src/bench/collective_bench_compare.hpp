// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The table of `conccl bench` that compares libraries and methods.
#pragma once

#include <string>

#include "conccl/bench/collective_bench.hpp"

namespace conccl::bench {

/// Whether there is more than nccl-tests' columns can hold.
[[nodiscard]] bool compares(const CollectiveBenchOptions& options, const BenchRun& run);

[[nodiscard]] std::string comparison_head(const BenchRun& run);
/// One row per method and placement.
[[nodiscard]] std::string comparison_rows(const CollectiveBenchOptions& options,
                                          const BenchRun& run, const BenchLine& line);
/// A line per crossover.
[[nodiscard]] std::string crossover_lines(const BenchRun& run);

}  // namespace conccl::bench
