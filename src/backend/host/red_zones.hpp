// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Tells AddressSanitizer which bytes of shared segments are allocated: it sees one mapping only.
#pragma once

#include <cstddef>

#include "conccl/core/units.hpp"

#ifdef CONCCL_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace conccl::backend::host {

#ifdef CONCCL_ADDRESS_SANITIZER
/// Bytes behind every allocation that belong to nobody.
inline constexpr Bytes kRedZone = 64;
inline void forbid(std::byte* data, Bytes bytes) { __asan_poison_memory_region(data, bytes); }
inline void permit(std::byte* data, Bytes bytes) { __asan_unpoison_memory_region(data, bytes); }
#else
inline constexpr Bytes kRedZone = 0;
inline void forbid(std::byte* /*data*/, Bytes /*bytes*/) {}
inline void permit(std::byte* /*data*/, Bytes /*bytes*/) {}
#endif

}  // namespace conccl::backend::host
