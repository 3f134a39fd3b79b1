// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "bench/attribution/probes.hpp"
#include "conccl/c3/strategy.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {

std::optional<double> clock_ghz(std::span<const backend::CycleReading> before,
                                std::span<const backend::CycleReading> after) {
  double cycles = 0;
  double nanoseconds = 0;
  for (const auto& early : before) {
    const auto late = std::find_if(after.begin(), after.end(),
                                   [&early](const auto& each) { return each.unit == early.unit; });
    if (late == after.end() || late->nanoseconds <= early.nanoseconds) continue;
    cycles += static_cast<double>(late->cycles - early.cycles);
    nanoseconds += static_cast<double>(late->nanoseconds - early.nanoseconds);
  }
  if (nanoseconds <= 0) return std::nullopt;
  return cycles / nanoseconds;
}

RankTimes rank_times(const plan::RankPlan& lanes, std::span<const backend::LaneTimes> times) {
  ensure_equal(lanes.lanes.size(), times.size(), "lanes and their times");
  RankTimes result;
  bool first = true;
  for (std::size_t lane = 0; lane < times.size(); ++lane) {
    const TaskSpan span{to_ms(times[lane].start), to_ms(times[lane].end)};
    if (lanes.lanes[lane].label == c3::kGemmTask) {
      result.gemm = span;
      continue;
    }
    result.comm.start_ms = first ? span.start_ms : std::min(result.comm.start_ms, span.start_ms);
    result.comm.end_ms = std::max(result.comm.end_ms, span.end_ms);
    first = false;
  }
  return result;
}

}  // namespace conccl::bench
