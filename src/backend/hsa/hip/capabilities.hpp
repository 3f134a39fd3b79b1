// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What HIP adds to the backend.
#pragma once

#include <memory>

#include "backend/hsa/hip/hip.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::hsa::hip {

/// Streams and GEMMs, and a warning for each of them that is missing, with the reason. Null: there
/// is no HIP. GEMMs need the backend's kernels too, whose lack is warned of elsewhere.
[[nodiscard]] std::shared_ptr<Hip> add_hip(const std::shared_ptr<Runtime>& runtime,
                                           Capabilities& found);

}  // namespace conccl::backend::hsa::hip
