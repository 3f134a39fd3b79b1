// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Why memory of a caller is refused.
#pragma once

#include <optional>
#include <string>

#include "backend/cuda/gpu.hpp"
#include "backend/cuda/index.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::cuda {

/// As Device::why_unusable, for a rank on `gpu`.
[[nodiscard]] std::optional<std::string> refusal(const Gpu& gpu, const void* address, Bytes bytes,
                                                 Reach reach);

/// What forbids that other processes map it, and what to do; nullopt: nothing.
[[nodiscard]] std::optional<std::string> why_not_shared(const AllocationIndex::Entry& entry);

/// "GPU 0 (GPU-...) has no peer access to ..."
[[nodiscard]] std::string no_peer_access(const GpuFacts& from, const GpuFacts& to);

/// As Device::why_unreachable.
[[nodiscard]] std::optional<std::string> refusal(const GpuFacts& from, const GpuFacts& to);

}  // namespace conccl::backend::cuda
