// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What host code and kernels agree on.
#pragma once

#include <cstdint>

#include "backend/kernel_args.hpp"

namespace conccl::backend::cuda {

/// What a multiprocessor's counters held.
struct alignas(16) Counters {
  std::uint64_t cycles = 0;
  std::uint64_t nanoseconds = 0;  ///< 0: never read
};
inline constexpr unsigned kMostUnits = 1024;

}  // namespace conccl::backend::cuda
