// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/tally.hpp"

namespace conccl::backend {

std::uint8_t pattern_byte(const Pattern& pattern, Bytes offset) {
  return static_cast<std::uint8_t>(pattern_word(pattern, offset / 8) >> (8 * (offset % 8)));
}

Comparison comparison_of(const Tally& tally, std::span<const Stretch> stretches) {
  Comparison result;
  result.compared = tally.compared;
  result.mismatches = tally.mismatches;
  if (tally.mismatches == 0) return result;
  result.first_bad = ~tally.inverted_first_bad;
  result.found = static_cast<std::uint8_t>(tally.found);
  for (const Stretch& stretch : stretches) {
    if (result.first_bad < stretch.offset) continue;
    const Bytes inside = result.first_bad - stretch.offset;
    if (inside >= stretch.bytes) continue;
    result.expected = pattern_byte(stretch.pattern, stretch.pattern_offset + inside);
    if (result.expected != result.found) break;
  }
  return result;
}

}  // namespace conccl::backend
