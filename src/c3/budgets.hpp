// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What a strategy's budget means for the device's units.
#pragma once

#include "conccl/c3/strategy.hpp"

namespace conccl::c3 {

/// Whether the budget is a share of the units for lanes of our collective's.
[[nodiscard]] bool takes_units(const Strategy& strategy);

}  // namespace conccl::c3
