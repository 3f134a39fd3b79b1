// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// CUPTI's records as plain data.
#pragma once

#include "bench/evidence/cupti_buffers.hpp"
#include "bench/evidence/cupti_library.hpp"
#include "bench/evidence/records.hpp"

namespace conccl::bench {

/// The kinds that `add_records` reads.
inline constexpr CUpti_ActivityKind kTracedKinds[] = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2,
    CUPTI_ACTIVITY_KIND_MEMSET};

/// Adds a buffer's records to `evidence`. Throws Unavailable when one is incomplete.
void add_records(const Cupti& cupti, const CuptiBuffers::Filled& buffer, Evidence& evidence);

}  // namespace conccl::bench
