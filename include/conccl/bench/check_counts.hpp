// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `CheckCounts`: what was compared, and how much of it was wrong.
#pragma once

#include <cstdint>

namespace conccl::bench {

/// Every output byte of every rank of every measured round is compared.
struct CheckCounts {
  std::uint64_t bytes = 0;
  std::uint64_t mismatches = 0;
  std::uint64_t gemm_mismatches = 0;  ///< bytes of GEMM results

  CheckCounts& operator+=(const CheckCounts& more) {
    bytes += more.bytes;
    mismatches += more.mismatches;
    gemm_mismatches += more.gemm_mismatches;
    return *this;
  }
};

}  // namespace conccl::bench
