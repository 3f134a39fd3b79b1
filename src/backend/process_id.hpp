// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Which process shared a piece of memory.
#pragma once

#include "conccl/backend/device.hpp"

namespace conccl::backend {

using ProcessId = decltype(Shareable::owner);

/// Random, drawn when it is first asked for; a child after fork has its own. Throws RunError.
[[nodiscard]] ProcessId this_process();

}  // namespace conccl::backend
