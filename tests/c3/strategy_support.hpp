// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Devices and strategies that tests of strategies share.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "conccl/c3/strategy.hpp"
#include "conccl/core/errors.hpp"
#include "tests/core/support.hpp"

namespace conccl::c3 {

inline constexpr DeviceShape kSmall{4, 2};
inline constexpr DeviceShape kLarge{304, 14};
/// As an H200: partitions of whole eights, and a GEMM needs two of them.
inline constexpr DeviceShape kStepped{132, 3, 8, 16};
inline constexpr std::array kVendor = {Carrier::vendor_kernels, Carrier::vendor_copies};

inline Strategy beside_vendor(std::string_view name) {
  for (const auto& strategy : strategies_beside(kVendor)) {
    if (strategy.name == name) return strategy;
  }
  throw InputError("no strategy " + std::string(name));
}

}  // namespace conccl::c3
