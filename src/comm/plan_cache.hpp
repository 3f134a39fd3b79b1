// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// One rank's plans, by request and method.
#pragma once

#include <list>

#include "conccl/plan/build.hpp"

namespace conccl::comm {

/// Keeps the plans used last. One thread at a time. A plan stays valid until `kCapacity` others
/// have been asked for, which is longer than an executor needs it: it copies what it records.
class PlanCache {
 public:
  static constexpr std::size_t kCapacity = 64;

  [[nodiscard]] const plan::RankPlan& get(const plan::Request& request, const plan::Method& method,
                                          int rank);

 private:
  struct Entry {
    plan::Request request;
    plan::Method method;
    plan::RankPlan lanes;
  };
  std::list<Entry> entries_;  ///< most recently used first
};

}  // namespace conccl::comm
