// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What this machine is, as a machine file says it.
#pragma once

#include <memory>

#include "backend/hsa/runtime.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::hsa {

/// Figures as the runtime states them: nothing is measured.
[[nodiscard]] Machine probe_machine(const std::shared_ptr<Runtime>& runtime,
                                    const Capabilities& capabilities);

}  // namespace conccl::backend::hsa
