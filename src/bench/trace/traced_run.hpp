// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `TracedRun`: what is known of one run of one configuration, and its way between processes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/evidence/records.hpp"
#include "conccl/plan/plan.hpp"
#include "conccl/plan/timeline.hpp"

namespace conccl::bench {

struct TracedRun {
  std::string name;                   ///< for people: scenario, collective, strategy
  std::vector<plan::RankPlan> lanes;  ///< by rank: what the timeline's steps are; may be empty
  plan::Timeline timeline;            ///< all ranks'; each rank's on its own device's clock
  std::vector<Evidence> records;      ///< by process, each on its tracer's clock; may be empty
};

/// What one process recorded, as bytes, and back.
struct Recorded {
  plan::Timeline timeline;
  Evidence records;
};
[[nodiscard]] std::string pack(const Recorded& recorded);
/// Throws RunError for what `pack` did not write.
[[nodiscard]] Recorded unpack(std::string_view bytes);

}  // namespace conccl::bench
