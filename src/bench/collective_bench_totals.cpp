// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/collective_bench_totals.hpp"

namespace conccl::bench {

const BenchResult* BenchLine::find(std::string_view library, CallMethod method,
                                   plan::Placement placement) const {
  for (const auto& result : results) {
    if (result.library == library && result.method == method && result.placement == placement) {
      return &result;
    }
  }
  return nullptr;
}

double algbw_gbps(const BenchLine& line, const BenchResult& result) {
  return static_cast<double>(line.bytes) / result.time_us().median / 1e3;
}

double busbw_gbps(const BenchLine& line, const BenchResult& result, int ranks) {
  return algbw_gbps(line, result) * static_cast<double>(ranks - 1) / static_cast<double>(ranks);
}

BenchTotals totals_of(const std::vector<BenchLine>& lines, int ranks) {
  BenchTotals totals;
  for (const auto& line : lines) {
    for (const auto& result : line.results) {
      totals.wrong += result.wrong.value_or(0);
      if (result.wrong) ++totals.checked;
      if (result.library != kOwnLibrary) continue;
      totals.busbw_gbps += busbw_gbps(line, result, ranks);
      ++totals.own;
    }
  }
  return totals;
}

}  // namespace conccl::bench
