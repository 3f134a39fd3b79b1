// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What the host functions in the place of the kernels compute.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "tests/fakes/hsa/test/kernels_opened.hpp"

namespace conccl::test::fake_hsa {
namespace {

using backend::Pattern;
using backend::pattern_word;
using backend::PatternRange;
using backend::Tally;
using namespace backend::hsa;  // NOLINT(google-build-using-namespace): the kernels' arguments

class FakeHsaKernel : public KernelsOpened {
 protected:
  Tally* tally() { return new (host_memory(sizeof(Tally))) Tally; }

  /// Reduces `sources` of one type.
  template <typename Value>
  std::vector<Value> reduce(const std::vector<std::vector<Value>>& sources, Number type,
                            Operation operation) {
    ReduceArgs args;
    args.count = sources.front().size();
    args.source_count = static_cast<std::uint32_t>(sources.size());
    args.type = type;
    args.operation = operation;
    const auto bytes = args.count * sizeof(Value);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      auto* const data = device_memory(0, bytes);
      std::memcpy(data, sources[i].data(), bytes);
      args.sources[i] = data;
    }
    args.dst = const_cast<void*>(args.sources[0]);
    run("conccl_reduce", args);
    const auto* const result = static_cast<const Value*>(args.dst);
    return {result, result + args.count};
  }
};

TEST_F(FakeHsaKernel, FillWritesThePatternFromAnyByteOn) {
  constexpr std::uint64_t kBytes = 1003;
  const Pattern pattern{3, 7};
  auto* const data = device_memory(0, kBytes + 2);
  run("conccl_fill", FillArgs{{data + 1, kBytes, pattern, 13}});
  EXPECT_EQ(data[0], 0);
  EXPECT_EQ(data[kBytes + 1], 0);
  for (std::uint64_t i = 0; i < kBytes; ++i) {
    const auto word = pattern_word(pattern, (13 + i) / 8);
    ASSERT_EQ(data[1 + i], static_cast<unsigned char>(word >> ((13 + i) % 8 * 8))) << i;
  }
}

TEST_F(FakeHsaKernel, CompareAndConcludeFindTheFirstWrongByte) {
  constexpr std::uint64_t kBytes = 1003;
  const PatternRange range{device_memory(0, kBytes), kBytes, {2, 5}, 3};
  Tally* const counted = tally();
  Tally* const result = tally();
  run("conccl_fill", FillArgs{range});
  run("conccl_compare", CompareArgs{range, 0, counted});
  run("conccl_conclude", ConcludeArgs{range.data, counted, result});
  EXPECT_EQ(result->compared, kBytes);
  EXPECT_EQ(result->mismatches, 0U);
  range.data[900] ^= 0xFFU;
  range.data[77] ^= 0x01U;
  // Two parts add to one tally, the second with offsets from its base on.
  auto second = range;
  second.data += 500;
  second.bytes -= 500;
  second.pattern_offset += 500;
  auto first = range;
  first.bytes = 500;
  run("conccl_compare", CompareArgs{second, 500, counted});
  run("conccl_compare", CompareArgs{first, 0, counted});
  run("conccl_conclude", ConcludeArgs{range.data, counted, result});
  EXPECT_EQ(result->compared, 2 * kBytes);
  EXPECT_EQ(result->mismatches, 2U);
  EXPECT_EQ(~result->inverted_first_bad, 77U);
  EXPECT_EQ(result->found, range.data[77]);
}

TEST_F(FakeHsaKernel, SetCopyAndDifferencesLookAtBytes) {
  constexpr std::uint64_t kBytes = 101;
  auto* const left = device_memory(0, kBytes);
  auto* const right = device_memory(1, kBytes);
  run("conccl_set", SetArgs{left, kBytes, 0xAB});
  run("conccl_copy", CopyArgs{{right, left, kBytes}});
  EXPECT_TRUE(std::all_of(right, right + kBytes, [](unsigned char byte) { return byte == 0xAB; }));
  right[5] = 0;
  right[100] = 0;
  Tally* const counted = tally();
  run("conccl_differences", DifferencesArgs{left, right, kBytes, counted});
  EXPECT_EQ(counted->compared, kBytes);
  EXPECT_EQ(counted->mismatches, 2U);
  EXPECT_EQ(~counted->inverted_first_bad, 5U);
}

TEST_F(FakeHsaKernel, RandomIsUniformAndTheSameRoundedForEveryType) {
  constexpr std::uint64_t kCount = 4096;
  auto* const exact = reinterpret_cast<float*>(device_memory(0, kCount * sizeof(float)));
  auto* const bf16 = reinterpret_cast<std::uint16_t*>(device_memory(0, kCount * 2));
  auto* const fp16 = reinterpret_cast<std::uint16_t*>(device_memory(0, kCount * 2));
  const Pattern seed{0, 9};
  run("conccl_random", RandomArgs{exact, kCount, seed, Number::fp32});
  run("conccl_random", RandomArgs{bf16, kCount, seed, Number::bf16});
  run("conccl_random", RandomArgs{fp16, kCount, seed, Number::fp16});
  double sum = 0;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    ASSERT_GE(exact[i], -1.0F);
    ASSERT_LT(exact[i], 1.0F);
    sum += exact[i];
    const float rounded = std::bit_cast<float>(std::uint32_t{bf16[i]} << 16U);
    ASSERT_LE(std::fabs(rounded - exact[i]), std::fabs(exact[i]) / 256.0F);
    ASSERT_EQ(std::signbit(exact[i]), (fp16[i] & 0x8000U) != 0);
  }
  EXPECT_LT(std::fabs(sum / kCount), 0.05);
  EXPECT_EQ(*std::max_element(exact, exact + kCount) > 0.99F, true);
}

TEST_F(FakeHsaKernel, ReduceDoesEveryOperation) {
  const std::vector<std::vector<std::int32_t>> sources{{1, -2, 3}, {4, 5, -6}, {7, 7, 7}};
  using Result = std::vector<std::int32_t>;
  EXPECT_EQ(reduce(sources, Number::int32, Operation::sum), (Result{12, 10, 4}));
  EXPECT_EQ(reduce(sources, Number::int32, Operation::min), (Result{1, -2, -6}));
  EXPECT_EQ(reduce(sources, Number::int32, Operation::max), (Result{7, 7, 7}));
  EXPECT_EQ(reduce(sources, Number::int32, Operation::product), (Result{28, -70, -126}));
}

TEST_F(FakeHsaKernel, ReduceKnowsEveryType) {
  EXPECT_EQ((reduce<std::int8_t>({{100}, {100}}, Number::int8, Operation::sum)[0]), -56);
  EXPECT_EQ((reduce<std::uint8_t>({{200}, {100}}, Number::uint8, Operation::max)[0]), 200);
  EXPECT_EQ((reduce<std::uint32_t>({{1}, {0xFFFFFFFF}}, Number::uint32, Operation::min)[0]), 1U);
  EXPECT_EQ((reduce<std::int64_t>({{-5}, {3}}, Number::int64, Operation::product)[0]), -15);
  EXPECT_EQ((reduce<std::uint64_t>({{1ULL << 63U}, {1}}, Number::uint64, Operation::max)[0]),
            1ULL << 63U);
  EXPECT_EQ((reduce<float>({{1.5F}, {2.25F}}, Number::fp32, Operation::sum)[0]), 3.75F);
  EXPECT_EQ((reduce<double>({{1e300}, {1e-3}}, Number::fp64, Operation::min)[0]), 1e-3);
}

TEST_F(FakeHsaKernel, ReduceRoundsNumbersOf16BitsOnceAtTheEnd) {
  // 256 + 1 + 1 in bf16: each sum rounded would stay at 256, all of them are 258.
  EXPECT_EQ(
      (reduce<std::uint16_t>({{0x4380}, {0x3F80}, {0x3F80}}, Number::bf16, Operation::sum)[0]),
      0x4381);
  // Halfway goes to the even one.
  EXPECT_EQ((reduce<std::uint16_t>({{0x4380}, {0x3F80}}, Number::bf16, Operation::sum)[0]), 0x4380);
  // 2048 + 1 + 1 in fp16, likewise.
  EXPECT_EQ(
      (reduce<std::uint16_t>({{0x6800}, {0x3C00}, {0x3C00}}, Number::fp16, Operation::sum)[0]),
      0x6801);
  // Too large is infinite; the smallest numbers are kept.
  EXPECT_EQ((reduce<std::uint16_t>({{0x6800}, {0x3C00}}, Number::fp16, Operation::sum)[0]), 0x6800);
  EXPECT_EQ((reduce<std::uint16_t>({{0x7BFF}, {0x7BFF}}, Number::fp16, Operation::sum)[0]), 0x7C00);
  EXPECT_EQ((reduce<std::uint16_t>({{0x0001}, {0x0002}}, Number::fp16, Operation::sum)[0]), 0x0003);
}

TEST_F(FakeHsaKernel, OfANumberAndANanTheNumberIsTheSmallerAndTheLarger) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const auto operation : {Operation::min, Operation::max}) {
    EXPECT_EQ((reduce<float>({{nan, 2.0F}, {1.0F, nan}}, Number::fp32, operation)),
              (std::vector{1.0F, 2.0F}));
  }
  EXPECT_TRUE(std::isnan(reduce<float>({{nan}, {1.0F}}, Number::fp32, Operation::sum)[0]));
}

TEST_F(FakeHsaKernel, ReduceWithoutSourcesIsAnException) {
  ReduceArgs args;
  args.dst = device_memory(0, 8);
  args.count = 1;
  const auto dispatch = packet("conccl_reduce", args, {});
  put(&dispatch);
  ring();
  EXPECT_EQ(error(), HSA_STATUS_ERROR_EXCEPTION);
}

}  // namespace
}  // namespace conccl::test::fake_hsa
