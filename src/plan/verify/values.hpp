// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Last stage: what a plan leaves behind. Meaningful only for a plan without deadlock and race,
/// which leaves the same in every interleaving; so one is enough.
#pragma once

#include "plan/verify/budget.hpp"
#include "plan/verify/report.hpp"
#include "plan/verify/schedule.hpp"

namespace conccl::plan {

/// Complains where recv does not hold the expectation, or send not what it held at the start.
void check_values(const Plan& plan, const Structure& structure, const Schedule& schedule,
                  Budget& budget, Report& report);

}  // namespace conccl::plan
