// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What the options of `conccl bench` ask for.
#pragma once

#include <string_view>
#include <vector>

#include "conccl/bench/collective_bench.hpp"

namespace conccl::bench {

/// Throws InputError, naming what makes no sense.
void validate(const CollectiveBenchOptions& options);

/// The sizes asked for, ascending. No product or sum leaves the range.
[[nodiscard]] std::vector<Bytes> sizes_of(const CollectiveBenchOptions& options);

/// What the ranks can share of `bytes` in whole elements: bytes per pair of ranks.
[[nodiscard]] Bytes block_of(const CollectiveBenchOptions& options, Bytes bytes);

/// Whether a peer of this name is to run where it can.
[[nodiscard]] bool wants_peer(const CollectiveBenchOptions& options, std::string_view name);

/// Out of place, and in place where the collective can be.
[[nodiscard]] std::vector<plan::Placement> placements_of(plan::Collective collective);

}  // namespace conccl::bench
