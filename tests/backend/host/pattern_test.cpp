// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/pattern.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace conccl::backend::host {
namespace {

constexpr std::byte kGuard{0x5A};
constexpr Pattern kPattern{2, 9};

std::byte byte_at(Bytes offset) {
  return static_cast<std::byte>(pattern_word(kPattern, offset / 8) >> (8 * (offset % 8)));
}

TEST(WritePattern, EveryAlignmentAndSize) {
  for (Bytes at = 0; at < 9; ++at) {
    for (Bytes offset = 0; offset < 9; ++offset) {
      for (Bytes bytes = 0; bytes < 40; ++bytes) {
        std::vector<std::byte> data(64, kGuard);
        write_pattern(data.data() + at, {kPattern, offset, bytes});
        for (Bytes i = 0; i < data.size(); ++i) {
          const bool inside = i >= at && i < at + bytes;
          ASSERT_EQ(data[i], inside ? byte_at(i - at + offset) : kGuard)
              << "at " << at << " offset " << offset << " bytes " << bytes << " byte " << i;
        }
      }
    }
  }
}

TEST(ComparePattern, FindsOneFlippedByteAtEveryAlignment) {
  for (Bytes at = 0; at < 8; ++at) {
    for (Bytes offset = 0; offset < 8; ++offset) {
      const Bytes bytes = 24 + at + offset % 3;
      std::vector<std::byte> data(64, kGuard);
      write_pattern(data.data() + at, {kPattern, offset, bytes});
      EXPECT_EQ(compare_pattern(data.data() + at, {kPattern, offset, bytes}).mismatches, 0U);
      for (Bytes bad = 0; bad < bytes; ++bad) {
        data[at + bad] ^= std::byte{1};
        const Comparison result = compare_pattern(data.data() + at, {kPattern, offset, bytes});
        data[at + bad] ^= std::byte{1};
        ASSERT_EQ(result.mismatches, 1U);
        ASSERT_EQ(result.compared, bytes);
        ASSERT_EQ(result.first_bad, bad);
        ASSERT_EQ(result.expected, std::to_integer<std::uint8_t>(byte_at(offset + bad)));
        ASSERT_EQ(result.found, result.expected ^ 1);
      }
    }
  }
}

TEST(ComparePattern, CountsAcrossBlocks) {
  constexpr Bytes kBytes = 3 * 4096 + 5;
  std::vector<std::byte> data(kBytes);
  write_pattern(data.data(), {kPattern, 3, kBytes});
  for (const Bytes bad : {Bytes{4100}, Bytes{4095}, Bytes{12292}}) data[bad] ^= std::byte{0x80};
  const Comparison result = compare_pattern(data.data(), {kPattern, 3, kBytes});
  EXPECT_EQ(result.compared, kBytes);
  EXPECT_EQ(result.mismatches, 3U);
  EXPECT_EQ(result.first_bad, 4095U);
}

TEST(Merge, KeepsTheSmallestOffsetInAnyOrder) {
  const Comparison early{10, 1, 2, 0xAA, 0xBB};
  const Comparison late{10, 2, 0, 0xCC, 0xDD};
  Comparison total;
  merge(total, late, 100);
  merge(total, early, 50);
  merge(total, {10, 0, 0, 0, 0}, 0);
  EXPECT_EQ(total.compared, 30U);
  EXPECT_EQ(total.mismatches, 3U);
  EXPECT_EQ(total.first_bad, 52U);
  EXPECT_EQ(total.expected, 0xAA);
  EXPECT_EQ(total.found, 0xBB);
}

}  // namespace
}  // namespace conccl::backend::host
