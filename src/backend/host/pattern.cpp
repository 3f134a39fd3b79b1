// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/pattern.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

// Checks take as long as what they check, so the two word loops are compiled for several CPUs and
// chosen at load time; sanitizers cannot have that, their run-time is not up yet when the choice is
// made.
#if defined(__x86_64__) && !defined(CONCCL_SANITIZED)
#define CONCCL_FOR_SEVERAL_CPUS \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CONCCL_FOR_SEVERAL_CPUS
#endif

namespace conccl::backend::host {
namespace {

static_assert(std::endian::native == std::endian::little,
              "byte i of a word is its bits from 8 i on");

constexpr Bytes kWord = sizeof(std::uint64_t);
constexpr Bytes kBlockWords = 512;

std::uint8_t pattern_byte(const Pattern& pattern, Bytes offset) {
  return static_cast<std::uint8_t>(pattern_word(pattern, offset / kWord) >> (8 * (offset % kWord)));
}

/// A range as bytes up to the pattern's next word, whole words, and the bytes left over.
struct Split {
  Bytes head = 0;
  Bytes words = 0;
  Bytes tail = 0;
};

Split split(const PatternRange& range) {
  const Bytes head = std::min(range.bytes, (kWord - range.offset % kWord) % kWord);
  const Bytes rest = range.bytes - head;
  return {head, rest / kWord, rest % kWord};
}

void write_bytes(std::byte* data, const PatternRange& range) {
  for (Bytes i = 0; i < range.bytes; ++i) {
    data[i] = std::byte{pattern_byte(range.pattern, range.offset + i)};
  }
}

CONCCL_FOR_SEVERAL_CPUS void write_words(std::byte* data, const Pattern& pattern, Bytes first,
                                         Bytes words) {
  for (Bytes i = 0; i < words; ++i) {
    const std::uint64_t word = pattern_word(pattern, first + i);
    std::memcpy(data + i * kWord, &word, kWord);
  }
}

CONCCL_FOR_SEVERAL_CPUS bool words_match(const std::byte* data, const Pattern& pattern, Bytes first,
                                         Bytes words) {
  std::uint64_t difference = 0;
  for (Bytes i = 0; i < words; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, data + i * kWord, kWord);
    difference |= word ^ pattern_word(pattern, first + i);
  }
  return difference == 0;
}

Comparison compare_bytes(const std::byte* data, const PatternRange& range) {
  Comparison result;
  result.compared = range.bytes;
  for (Bytes i = 0; i < range.bytes; ++i) {
    const std::uint8_t expected = pattern_byte(range.pattern, range.offset + i);
    const auto found = std::to_integer<std::uint8_t>(data[i]);
    if (found == expected) continue;
    if (result.mismatches++ == 0) {
      result.first_bad = i;
      result.expected = expected;
      result.found = found;
    }
  }
  return result;
}

/// Whole words from a word of the pattern on; looks at single bytes only where a block differs.
Comparison compare_words(const std::byte* data, const PatternRange& range) {
  Comparison result;
  for (Bytes at = 0; at < range.bytes; at += kBlockWords * kWord) {
    const Bytes bytes = std::min(kBlockWords * kWord, range.bytes - at);
    const Bytes first = (range.offset + at) / kWord;
    if (words_match(data + at, range.pattern, first, bytes / kWord)) {
      result.compared += bytes;
    } else {
      merge(result, compare_bytes(data + at, {range.pattern, range.offset + at, bytes}), at);
    }
  }
  return result;
}

}  // namespace

void write_pattern(std::byte* data, const PatternRange& range) {
  const auto [head, words, tail] = split(range);
  write_bytes(data, {range.pattern, range.offset, head});
  write_words(data + head, range.pattern, (range.offset + head) / kWord, words);
  const Bytes end = head + words * kWord;
  write_bytes(data + end, {range.pattern, range.offset + end, tail});
}

Comparison compare_pattern(const std::byte* data, const PatternRange& range) {
  const auto [head, words, tail] = split(range);
  Comparison result = compare_bytes(data, {range.pattern, range.offset, head});
  merge(result, compare_words(data + head, {range.pattern, range.offset + head, words * kWord}),
        head);
  const Bytes end = head + words * kWord;
  merge(result, compare_bytes(data + end, {range.pattern, range.offset + end, tail}), end);
  return result;
}

void merge(Comparison& total, const Comparison& part, Bytes offset) {
  const bool first =
      part.mismatches > 0 && (total.mismatches == 0 || offset + part.first_bad < total.first_bad);
  total.compared += part.compared;
  total.mismatches += part.mismatches;
  if (!first) return;
  total.first_bad = offset + part.first_bad;
  total.expected = part.expected;
  total.found = part.found;
}

}  // namespace conccl::backend::host
