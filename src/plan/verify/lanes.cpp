// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/verify/lanes.hpp"

namespace conccl::plan {

LaneTable::LaneTable(const Plan& plan) {
  first_.reserve(plan.ranks.size() + 1);
  int rank = 0;
  for (const auto& rank_plan : plan.ranks) {
    first_.push_back(size());
    for (const auto& lane : rank_plan.lanes) entries_.push_back({&lane.steps, rank});
    ++rank;
  }
  first_.push_back(size());
}

}  // namespace conccl::plan
