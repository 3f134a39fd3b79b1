// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Writing and checking patterns at memory speed.
#pragma once

#include "conccl/backend/device.hpp"

namespace conccl::backend::host {

/// `bytes` of memory against the pattern's bytes from `offset` on; any alignment of either.
struct PatternRange {
  Pattern pattern;
  Bytes offset = 0;
  Bytes bytes = 0;
};

void write_pattern(std::byte* data, const PatternRange& range);

/// `first_bad` counts from `data`.
[[nodiscard]] Comparison compare_pattern(const std::byte* data, const PatternRange& range);

/// Adds `part`, whose bytes begin at `offset`, to `total`; the smallest bad offset wins.
void merge(Comparison& total, const Comparison& part, Bytes offset);

}  // namespace conccl::backend::host
