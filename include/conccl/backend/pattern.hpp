// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Pattern`: the bytes that byte checks use. Code of a device includes this header too.
#pragma once

#include <cstdint>

namespace conccl::backend {

/// The bytes that byte checks use: the 64-bit word at byte offset 8 i of rank `rank`'s input in
/// round `round` is hash(rank, i, round) (splitmix64 of the three). Sizes need not be multiples
/// of 8.
struct Pattern {
  int rank = 0;
  std::uint64_t round = 0;
};

[[nodiscard]] constexpr std::uint64_t pattern_word(const Pattern& pattern, std::uint64_t index) {
  std::uint64_t x = index * 0x9E3779B97F4A7C15u +
                    (static_cast<std::uint64_t>(pattern.rank) + 1) * 0xD1B54A32D192ED03u +
                    (pattern.round + 1) * 0x8CB92BA72F3D8DD7u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace conccl::backend
