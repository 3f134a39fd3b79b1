// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/plan_cache.hpp"

#include <algorithm>

namespace conccl::comm {

const plan::RankPlan& PlanCache::get(const plan::Request& request, const plan::Method& method,
                                     int rank) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.request == request && entry.method == method;
  });
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
  } else {
    entries_.push_front({request, method, plan::build_rank(request, method, rank)});
    if (entries_.size() > kCapacity) entries_.pop_back();
  }
  return entries_.front().lanes;
}

}  // namespace conccl::comm
