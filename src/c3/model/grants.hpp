// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Who gets the compute units of one device. They are granted, not shared: by priority, then by who
/// was launched first, within the units that a lane's share names.
#pragma once

#include <span>
#include <vector>

#include "conccl/plan/plan.hpp"

namespace conccl::c3 {

struct UnitClaim {
  int first = 0;  ///< it may use units first .. end - 1
  int end = 0;
  double wanted = 0;
  int step = 0;  ///< it needs a whole piece of so many units free on the device; 0: any number
  int device_units = 0;  ///< with a step: how many the device has
  double held = 0;       ///< what it has; 0 when it has just been launched
  plan::Priority priority = plan::Priority::normal;
  enum class Hold { may_change, keeps, may_shrink } hold = Hold::may_change;
};

/// The units of `share` on a device of `units`.
[[nodiscard]] UnitClaim claim_of(const plan::Share& share, int units);

/// What each gets; `claims` are in the order of launch. A claim that `keeps` or is not
/// `may_change` does not grow; one that `keeps` does not shrink. An earlier claim leaves `late`
/// units, or what they want if that is less, to each later one of its priority.
[[nodiscard]] std::vector<double> grant(std::span<const UnitClaim> claims, double late);

}  // namespace conccl::c3
