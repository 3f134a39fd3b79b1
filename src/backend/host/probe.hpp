// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What the host backend tells planners about this machine.
#pragma once

#include "backend/host/topology.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::host {

/// Measures memory bandwidth and the speed of a GEMM for some tens of milliseconds.
[[nodiscard]] Machine probe_machine(const Topology& topology, const CoreSplit& cores,
                                    const Capabilities& capabilities);

}  // namespace conccl::backend::host
