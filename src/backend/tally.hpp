// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What kernels counted, as a `Comparison`.
#pragma once

#include <span>

#include "backend/kernel_args.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend {

[[nodiscard]] std::uint8_t pattern_byte(const Pattern& pattern, Bytes offset);

/// `tally` is of a compare of these stretches, with the byte found at its first bad offset.
[[nodiscard]] Comparison comparison_of(const Tally& tally, std::span<const Stretch> stretches);

}  // namespace conccl::backend
