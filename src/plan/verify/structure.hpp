// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// First stage: every reference of a plan exists and lies in bounds. Later stages rely on it.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/verify/flags.hpp"
#include "plan/verify/lanes.hpp"
#include "plan/verify/report.hpp"

namespace conccl::plan {

/// What one pass over a well-formed plan finds out. `use` is by `buffer_index`.
struct Structure {
  struct Use {
    std::uint32_t reads = 0;
    std::uint32_t writes = 0;
  };
  const LaneTable& lanes;
  FlagTable flags;
  std::vector<Use> use;
};

/// Request, number of ranks, flags and tasks. Complains; false means that no step may be looked at.
[[nodiscard]] bool check_frame(const Plan& plan, Report& report);

/// Every step. What it returns is whole only if nothing was complained of.
[[nodiscard]] Structure check_steps(const Plan& plan, const LaneTable& lanes, Report& report);

}  // namespace conccl::plan
