// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Sums over the lines of a `conccl bench` run.
#pragma once

#include <cstdint>
#include <vector>

#include "conccl/bench/collective_bench.hpp"

namespace conccl::bench {

struct BenchTotals {
  double busbw_gbps = 0;  ///< of ours
  std::size_t own = 0;    ///< results of ours
  std::uint64_t wrong = 0;
  std::size_t checked = 0;  ///< results

  [[nodiscard]] double average_busbw() const {
    return own == 0 ? 0 : busbw_gbps / static_cast<double>(own);
  }
};

[[nodiscard]] BenchTotals totals_of(const std::vector<BenchLine>& lines, int ranks);

}  // namespace conccl::bench
