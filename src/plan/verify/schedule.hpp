// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Second stage: one interleaving of a plan, which exists only if every wait ends.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "plan/verify/report.hpp"
#include "plan/verify/structure.hpp"

namespace conccl::plan {

/// Steps [begin, end) of a lane, run without a break.
struct Burst {
  std::uint32_t lane = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// All steps of a plan in an order that respects lanes and flags: a topological order.
struct Schedule {
  std::vector<Burst> bursts;
};

/// Complains of every lane that waits for ever. Which lanes do does not depend on the interleaving:
/// a raised flag stays raised, so running one lane never stops another.
[[nodiscard]] Schedule run_lanes(const Structure& structure, Report& report);

/// Calls `visit(event, copy)` for every copy that moves bytes, in the order of the schedule.
template <typename Visit>
void for_each_copy(const LaneTable& lanes, const Schedule& schedule, Visit visit) {
  for (const auto& burst : schedule.bursts) {
    const auto& steps = lanes.steps(burst.lane);
    for (std::uint32_t step = burst.begin; step < burst.end; ++step) {
      const auto* copy = std::get_if<Copy>(&steps[step]);
      if (copy != nullptr && copy->bytes > 0) visit(Event{burst.lane, step}, *copy);
    }
  }
}

}  // namespace conccl::plan
