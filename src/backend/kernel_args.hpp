// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What the kernels of every GPU backend work on.
#pragma once

#include <cstdint>

#include "conccl/backend/pattern.hpp"

namespace conccl::backend {

/// `bytes` bytes at `data` are those of `pattern` from `pattern_offset` on.
struct PatternRange {
  unsigned char* data = nullptr;
  std::uint64_t bytes = 0;
  Pattern pattern;
  std::uint64_t pattern_offset = 0;
};

/// Sums over the ranges of one compare; zero to begin with.
struct Tally {
  std::uint64_t compared = 0;
  std::uint64_t mismatches = 0;
  std::uint64_t inverted_first_bad = 0;  ///< ~offset, so that the smallest offset is the largest
  std::uint64_t found = 0;               ///< the byte at the first bad offset
};

struct CopyRange {
  unsigned char* to = nullptr;
  const unsigned char* from = nullptr;
  std::uint64_t bytes = 0;
};

}  // namespace conccl::backend
