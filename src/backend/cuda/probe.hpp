// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What the machine reaches, measured.
#pragma once

#include <memory>
#include <vector>

#include "backend/cuda/gpu.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::cuda {

/// `gpus` are the first, and the second where there is one.
[[nodiscard]] Machine probe_machine(const std::vector<GpuFacts>& facts,
                                    const std::vector<std::shared_ptr<Gpu>>& gpus,
                                    const Capabilities& capabilities);

}  // namespace conccl::backend::cuda
