// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What a strategy's budget means for the device's units.
#pragma once

#include "conccl/c3/strategy.hpp"

namespace conccl::c3 {

/// Whether the budget splits the units between the collective's lanes and the GEMM.
[[nodiscard]] bool splits_for_comm(const Strategy& strategy);

}  // namespace conccl::c3
