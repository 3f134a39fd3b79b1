// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/kernels/work.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <utility>

#include "tests/backend/hsa/grid.hpp"

namespace conccl::backend::hsa {
namespace {

constexpr std::uint64_t kSizes[] = {0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 63, 64, 65, 100, 1000, 5003};
constexpr Pattern kPattern{3, 11};

/// Byte by byte, from the pattern's definition.
std::vector<unsigned char> expected_bytes(std::uint64_t offset, std::uint64_t bytes) {
  std::vector<unsigned char> expected(bytes);
  for (std::uint64_t i = 0; i < bytes; ++i) {
    const std::uint64_t word = pattern_word(kPattern, (offset + i) / 8);
    std::array<unsigned char, 8> parts{};
    std::memcpy(parts.data(), &word, 8);
    expected[i] = parts[(offset + i) % 8];
  }
  return expected;
}

/// Every size at every alignment that matters, on every grid.
template <typename Body>
void for_each_range(Body body) {
  for (const std::uint64_t bytes : kSizes) {
    for (std::uint64_t misaligned = 0; misaligned < 16; ++misaligned) {
      for (const std::uint64_t items : kGrids) {
        SCOPED_TRACE(testing::Message() << bytes << " bytes, " << misaligned
                                        << " after a multiple of 16, " << items << " work-items");
        body(bytes, misaligned, items);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

Count whole(const std::vector<Count>& parts) {
  Count sum;
  for (const Count& part : parts) {
    sum.compared += part.compared;
    sum.mismatches += part.mismatches;
    sum.inverted_first_bad = std::max(sum.inverted_first_bad, part.inverted_first_bad);
  }
  return sum;
}

TEST(FillWork, WritesThePatternAndNothingElse) {
  for_each_range([](std::uint64_t bytes, std::uint64_t misaligned, std::uint64_t items) {
    for (const std::uint64_t offset : {std::uint64_t{0}, 16 - misaligned, std::uint64_t{1005}}) {
      Watched memory(bytes, misaligned);
      const FillArgs args{{memory.data(), bytes, kPattern, offset}};
      for_each_item(items, [&](const WorkItem& me) { fill(args, me); });
      EXPECT_EQ(memory.content(), expected_bytes(offset, bytes)) << "pattern from " << offset;
      EXPECT_TRUE(memory.intact());
    }
  });
}

TEST(SetWork, WritesOneValueAndNothingElse) {
  for_each_range([](std::uint64_t bytes, std::uint64_t misaligned, std::uint64_t items) {
    Watched memory(bytes, misaligned);
    const SetArgs args{memory.data(), bytes, 0xC3};
    for_each_item(items, [&](const WorkItem& me) { set(args, me); });
    EXPECT_EQ(memory.content(), std::vector<unsigned char>(bytes, 0xC3));
    EXPECT_TRUE(memory.intact());
  });
}

TEST(CopyWork, MovesEveryByteWhateverBothAlignments) {
  for_each_range([](std::uint64_t bytes, std::uint64_t misaligned, std::uint64_t items) {
    for (const std::uint64_t other : {misaligned, misaligned + 4, misaligned + 8, misaligned + 5}) {
      Watched from(bytes, other);
      const auto expected = expected_bytes(17, bytes);
      std::copy(expected.begin(), expected.end(), from.data());
      Watched to(bytes, misaligned);
      const CopyArgs args{{to.data(), from.data(), bytes}};
      for_each_item(items, [&](const WorkItem& me) { copy(args, me); });
      EXPECT_EQ(to.content(), expected) << "from " << other;
      EXPECT_TRUE(to.intact());
    }
  });
}

TEST(CompareWork, CountsEveryByteOfAPatternOnce) {
  for_each_range([](std::uint64_t bytes, std::uint64_t misaligned, std::uint64_t items) {
    Watched memory(bytes, misaligned);
    const auto expected = expected_bytes(5, bytes);
    std::copy(expected.begin(), expected.end(), memory.data());
    const CompareArgs args{{memory.data(), bytes, kPattern, 5}, 0, nullptr};
    std::vector<Count> parts;
    for_each_item(items, [&](const WorkItem& me) { parts.push_back(compare(args, me)); });
    EXPECT_EQ(whole(parts).compared, bytes);
    EXPECT_EQ(whole(parts).mismatches, 0u);
    EXPECT_EQ(whole(parts).inverted_first_bad, 0u);
  });
}

TEST(CompareWork, FindsWrongBytesWhereverTheyAre) {
  constexpr std::uint64_t kBase = 1000000;
  for_each_range([](std::uint64_t bytes, std::uint64_t misaligned, std::uint64_t items) {
    if (bytes == 0) return;
    const std::uint64_t first = bytes / 3;
    Watched memory(bytes, misaligned);
    const auto expected = expected_bytes(5, bytes);
    std::copy(expected.begin(), expected.end(), memory.data());
    memory.data()[first] ^= 1;
    memory.data()[bytes - 1] ^= 0x80;
    const CompareArgs args{{memory.data(), bytes, kPattern, 5}, kBase, nullptr};
    std::vector<Count> parts;
    for_each_item(items, [&](const WorkItem& me) { parts.push_back(compare(args, me)); });
    const std::uint64_t wrong = first == bytes - 1 ? 1 : 2;
    EXPECT_EQ(whole(parts).compared, bytes);
    EXPECT_EQ(whole(parts).mismatches, wrong);
    EXPECT_EQ(~whole(parts).inverted_first_bad, kBase + first);
  });
}

TEST(DifferencesWork, CountsTheBytesInWhichTwoBuffersDiffer) {
  for (const std::uint64_t bytes : kSizes) {
    Watched left(bytes, 0);
    Watched right(bytes, 8);
    std::uint64_t different = 0;
    for (std::uint64_t i = 0; i < bytes; i += 5, ++different) right.data()[i] ^= 0xFF;
    for (const std::uint64_t items : kGrids) {
      const DifferencesArgs args{left.data(), right.data(), bytes, nullptr};
      std::vector<Count> parts;
      for_each_item(items, [&](const WorkItem& me) { parts.push_back(differences(args, me)); });
      EXPECT_EQ(whole(parts).compared, bytes);
      EXPECT_EQ(whole(parts).mismatches, different);
      EXPECT_EQ(whole(parts).inverted_first_bad, bytes > 0 ? ~std::uint64_t{0} : 0);
    }
  }
}

template <typename Stored>
std::vector<Stored> randoms(Number type, std::uint64_t count, std::uint64_t items) {
  std::vector<Stored> values(count + 1);
  const RandomArgs args{values.data(), count, kPattern, type};
  for_each_item(items, [&](const WorkItem& me) { random(args, me); });
  return values;
}

TEST(RandomWork, IsUniformFromMinusOneToOneAndTheSameOnEveryGrid) {
  constexpr std::uint64_t kCount = 20011;
  const auto values = randoms<float>(Number::fp32, kCount, 256);
  EXPECT_EQ(values, randoms<float>(Number::fp32, kCount, 1));
  EXPECT_EQ(values.back(), 0.0F) << "beyond the end";
  double sum = 0;
  double squares = 0;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    ASSERT_GE(values[i], -1.0F);
    ASSERT_LT(values[i], 1.0F);
    sum += values[i];
    squares += static_cast<double>(values[i]) * values[i];
  }
  EXPECT_NEAR(sum / kCount, 0.0, 0.02);
  EXPECT_NEAR(squares / kCount, 1.0 / 3, 0.02);
}

TEST(RandomWork, RoundsTheSameValuesToSmallerTypes) {
  constexpr std::uint64_t kCount = 5003;
  const auto exact = randoms<float>(Number::fp32, kCount, 3);
  const auto brain = randoms<Bf16>(Number::bf16, kCount, 3);
  const auto half = randoms<Fp16>(Number::fp16, kCount, 3);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const float magnitude = std::abs(exact[i]);
    ASSERT_NEAR(widened(brain[i]), exact[i], magnitude * 0x1p-8F + 0x1p-30F) << i;
    ASSERT_NEAR(widened(half[i]), exact[i], magnitude * 0x1p-11F + 0x1p-25F) << i;
  }
}

}  // namespace
}  // namespace conccl::backend::hsa
