// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Whether a caller's plan stays within what a communicator can bind.
#pragma once

#include "conccl/comm/communicator.hpp"

namespace conccl::comm {

/// The rank that asks, and what its communicator has.
struct PlanLimits {
  int rank = 0;
  int ranks = 1;
  int flags = 0;  ///< per rank
};

/// Throws InputError for lanes that name a rank, flag, task or byte that is not there. Whether the
/// plan is *right* is for the verifier.
void check_plan_call(const PlanCall& call, const PlanLimits& limits);

}  // namespace conccl::comm
