// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/kernels/reduce.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tests/backend/hsa/grid.hpp"

namespace conccl::backend::hsa {
namespace {

template <typename Stored_, Number kNumber_>
struct Kind {
  using Stored = Stored_;
  static constexpr Number kNumber = kNumber_;
};

template <typename K>
class ReduceWork : public testing::Test {};
using Kinds =
    testing::Types<Kind<Bf16, Number::bf16>, Kind<Fp16, Number::fp16>, Kind<float, Number::fp32>,
                   Kind<double, Number::fp64>, Kind<std::int8_t, Number::int8>,
                   Kind<std::uint8_t, Number::uint8>, Kind<std::int32_t, Number::int32>,
                   Kind<std::uint32_t, Number::uint32>, Kind<std::int64_t, Number::int64>,
                   Kind<std::uint64_t, Number::uint64>>;
TYPED_TEST_SUITE(ReduceWork, Kinds);

constexpr Operation kOperations[] = {Operation::sum, Operation::min, Operation::max,
                                     Operation::product};

template <typename Stored>
constexpr bool kIsFloat = !std::is_integral_v<Stored>;

template <typename Stored>
Stored a_number(std::mt19937_64& random) {
  if constexpr (kIsFloat<Stored>) {
    const double value = std::uniform_real_distribution<double>(-2.0, 2.0)(random);
    return rounded<Stored>(static_cast<Held<Stored>>(value));
  } else {
    return static_cast<Stored>(random());
  }
}

template <typename Stored>
bool same(Stored left, Stored right) {
  return std::memcmp(&left, &right, sizeof(Stored)) == 0;
}

/// What is expected, from exact integers of 128 bits and from the C library's functions.
template <typename Stored>
Stored expected(const std::vector<Stored>& numbers, Operation operation) {
  if constexpr (kIsFloat<Stored>) {
    Held<Stored> held = widened(numbers[0]);
    for (std::size_t i = 1; i < numbers.size(); ++i) {
      const Held<Stored> next = widened(numbers[i]);
      if (operation == Operation::sum) held += next;
      if (operation == Operation::product) held *= next;
      if (operation == Operation::min) held = std::fmin(held, next);
      if (operation == Operation::max) held = std::fmax(held, next);
    }
    return rounded<Stored>(held);
  } else {
    __extension__ using Wide = unsigned __int128;
    if (operation == Operation::min) return *std::min_element(numbers.begin(), numbers.end());
    if (operation == Operation::max) return *std::max_element(numbers.begin(), numbers.end());
    Wide held = operation == Operation::sum ? 0 : 1;
    for (const Stored number : numbers) {
      const auto wide = static_cast<Wide>(number);
      held = operation == Operation::sum ? held + wide : held * wide;
    }
    return static_cast<Stored>(held);
  }
}

struct Shape {
  std::uint64_t count = 0;
  std::uint32_t sources = 1;
  std::uint64_t dst_misaligned = 0;  ///< elements
  std::uint64_t source_misaligned = 0;
  bool in_place = false;
};

template <typename K>
void expect_reduced(const Shape& shape, Operation operation, std::uint64_t items) {
  using Stored = typename K::Stored;
  constexpr std::uint64_t kEach = sizeof(Stored);
  std::mt19937_64 random(shape.count * 31 + shape.sources);
  std::vector<Watched> sources;
  std::vector<std::vector<Stored>> numbers(shape.count);
  ReduceArgs args;
  for (std::uint32_t s = 0; s < shape.sources; ++s) {
    sources.emplace_back(shape.count * kEach, shape.source_misaligned * kEach);
    for (std::uint64_t i = 0; i < shape.count; ++i) {
      numbers[i].push_back(a_number<Stored>(random));
      std::memcpy(sources[s].data() + i * kEach, &numbers[i].back(), kEach);
    }
  }
  for (std::uint32_t s = 0; s < shape.sources; ++s) args.sources[s] = sources[s].data();
  Watched apart(shape.count * kEach, shape.dst_misaligned * kEach);
  Watched& result = shape.in_place ? sources.back() : apart;
  args.dst = result.data();
  args.count = shape.count;
  args.source_count = shape.sources;
  args.type = K::kNumber;
  args.operation = operation;
  for_each_item(items, [&](const WorkItem& me) { reduce(args, me); });
  EXPECT_TRUE(result.intact());
  for (std::uint64_t i = 0; i < shape.count; ++i) {
    Stored found;
    std::memcpy(&found, result.data() + i * kEach, kEach);
    ASSERT_TRUE(same(found, expected(numbers[i], operation))) << "element " << i;
  }
}

TYPED_TEST(ReduceWork, IsRightForEverySizeAlignmentAndGrid) {
  for (const std::uint64_t count : {0u, 1u, 2u, 15u, 16u, 17u, 100u, 700u}) {
    for (const std::uint64_t misaligned : {0u, 1u}) {
      for (const Operation operation : kOperations) {
        for (const std::uint64_t items : kGrids) {
          SCOPED_TRACE(testing::Message()
                       << count << " elements, misaligned by " << misaligned << ", operation "
                       << static_cast<int>(operation) << ", " << items << " work-items");
          expect_reduced<TypeParam>({count, 3, misaligned, misaligned, false}, operation, items);
          expect_reduced<TypeParam>({count, 3, misaligned, 0, false}, operation, items);
          if (this->HasFailure()) return;
        }
      }
    }
  }
}

TYPED_TEST(ReduceWork, TakesOneToSixteenSourcesAndMayWriteOverOne) {
  for (std::uint32_t sources = 1; sources <= kMostSources; ++sources) {
    for (const Operation operation : kOperations) {
      SCOPED_TRACE(testing::Message() << sources << " sources");
      expect_reduced<TypeParam>({70, sources, 1, 1, false}, operation, 3);
      expect_reduced<TypeParam>({70, sources, 1, 1, true}, operation, 3);
      if (this->HasFailure()) return;
    }
  }
}

float float_of(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, 4);
  return value;
}

/// Halfway between two neighbours, and just beside that.
TEST(ReduceRounding, OfBf16IsToTheNearestTiesToEven) {
  for (std::uint32_t low = 0; low <= 0xFFFF; ++low) {
    if ((low & 0x7F80u) == 0x7F80u) continue;  // no number
    const std::uint32_t tie = low << 16 | 0x8000u;
    EXPECT_EQ(rounded<Bf16>(float_of(tie - 1)).bits, low);
    EXPECT_EQ(rounded<Bf16>(float_of(tie)).bits, low + (low & 1u));
    EXPECT_EQ(rounded<Bf16>(float_of(tie + 1)).bits, low + 1);
  }
}

TEST(ReduceRounding, OfFp16IsToTheNearestTiesToEven) {
  constexpr std::uint16_t kLargest = 0x7BFF;
  for (std::uint16_t bits = 0; bits < kLargest; ++bits) {
    const auto next_bits = static_cast<std::uint16_t>(bits + 1);
    const auto low = __builtin_bit_cast(Fp16, bits);
    const auto high = __builtin_bit_cast(Fp16, next_bits);
    const float tie = (widened(low) + widened(high)) / 2;
    const auto bits_of = [](float value) {
      return __builtin_bit_cast(std::uint16_t, rounded<Fp16>(value));
    };
    EXPECT_EQ(bits_of(std::nextafter(tie, 0.0F)), bits);
    EXPECT_EQ(bits_of(tie), bits % 2 == 0 ? bits : next_bits);
    EXPECT_EQ(bits_of(std::nextafter(tie, 1e9F)), next_bits);
  }
}

TEST(ReduceRounding, OfBf16KeepsEveryNumberAndNoNanBecomesInfinite) {
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const Bf16 number{static_cast<std::uint16_t>(bits)};
    if (std::isnan(widened(number))) {
      EXPECT_TRUE(std::isnan(widened(rounded<Bf16>(widened(number)))));
    } else {
      EXPECT_EQ(rounded<Bf16>(widened(number)).bits, bits);
    }
  }
  const float of_low_bits_alone = float_of(0x7F800001u);
  EXPECT_TRUE(std::isnan(widened(rounded<Bf16>(of_low_bits_alone))));
}

/// 1 + 2^-8 lies halfway to the neighbour of 1 in bf16; rounding each step would lose both.
TEST(ReduceRounding, IsDoneOnceAtTheEnd) {
  const Bf16 one = rounded<Bf16>(1.0F);
  const Bf16 small = rounded<Bf16>(0x1p-8F);
  Bf16 result{};
  ReduceArgs args;
  args.dst = &result;
  args.sources[0] = &one;
  args.sources[1] = args.sources[2] = &small;
  args.count = 1;
  args.source_count = 3;
  args.type = Number::bf16;
  reduce(args, {});
  EXPECT_EQ(widened(result), 1.0F + 0x1p-7F);
}

TEST(ReduceRounding, OfFp16OverflowsToInfinityAndKeepsSubnormals) {
  EXPECT_EQ(widened(rounded<Fp16>(65519.0F)), 65504.0F);
  EXPECT_TRUE(std::isinf(widened(rounded<Fp16>(65520.0F))));
  EXPECT_EQ(widened(rounded<Fp16>(0x1p-24F)), 0x1p-24F);
  EXPECT_EQ(widened(rounded<Fp16>(1.0F + 0x1p-11F)), 1.0F);
  EXPECT_EQ(widened(rounded<Fp16>(1.0F + 0x3p-11F)), 1.0F + 0x1p-9F);
}

TEST(ReduceOfNan, TakesTheNumberForMinAndMaxAndTheNanForSums) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ((combined<Operation::min>(nan, 2.0F)), 2.0F);
  EXPECT_EQ((combined<Operation::min>(2.0F, nan)), 2.0F);
  EXPECT_EQ((combined<Operation::max>(nan, -2.0F)), -2.0F);
  EXPECT_EQ((combined<Operation::max>(-2.0F, nan)), -2.0F);
  EXPECT_TRUE(std::isnan(combined<Operation::max>(nan, nan)));
  EXPECT_TRUE(std::isnan(combined<Operation::sum>(1.0F, nan)));
  EXPECT_TRUE(std::isnan(combined<Operation::product>(nan, 0.0F)));
}

}  // namespace
}  // namespace conccl::backend::hsa
