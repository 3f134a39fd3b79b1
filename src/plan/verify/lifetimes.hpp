// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Third stage, first half: every access of a buffer lies between its rank's start and end.
#pragma once

#include "plan/verify/order.hpp"
#include "plan/verify/report.hpp"

namespace conccl::plan {

/// A rank's start counts as a write of all its buffers and its end as a read and write of them;
/// complains of remote accesses that are not ordered after the one and before the other.
void check_lifetimes(const Structure& structure, Order& order, VerifyCost& cost, Report& report);

}  // namespace conccl::plan
