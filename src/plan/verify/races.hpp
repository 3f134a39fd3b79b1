// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Third stage, second half: accesses of the same bytes, one a write, are ordered.
#pragma once

#include "plan/verify/order.hpp"
#include "plan/verify/report.hpp"

namespace conccl::plan {

/// What the sweep needs; all outlive it.
struct RaceContext {
  const Structure& structure;
  const Schedule& schedule;
  Order& order;
  Budget& budget;
  VerifyCost& cost;
  Report& report;
};

/// Complains of conflicting accesses that nothing orders, and of copies whose ends overlap.
void check_races(const RaceContext& context);

}  // namespace conccl::plan
