// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Reductions by a kernel, which the double runs by its name.

#include <cstring>

#include "tests/backend/hsa/support.hpp"

namespace conccl::backend::hsa {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using HsaReduce = OnDouble;

TEST_F(HsaReduce, AddsInTheStatedOrder) {
  const auto gpu = device(0);
  constexpr std::uint64_t kCount = 1001;
  const Memory dst = gpu->allocate(kCount * sizeof(float));
  std::vector<Memory> memories;
  std::vector<const void*> sources;
  std::vector<float> expected(kCount);
  for (int s = 0; s < 3; ++s) {
    memories.push_back(gpu->allocate(kCount * sizeof(float)));
    auto* const values = static_cast<float*>(memories.back().data());
    for (std::uint64_t i = 0; i < kCount; ++i) {
      values[i] = static_cast<float>(s == 0 ? 1e8 : (s == 1 ? -1e8 : 0.1 * static_cast<double>(i)));
      expected[i] = s == 0 ? values[i] : expected[i] + values[i];
    }
    sources.push_back(values);
  }
  run(*gpu,
      *make_reduce(*gpu, {dst.data(), sources, kCount, DataType::float32, ReduceOperation::sum}));
  EXPECT_EQ(std::memcmp(dst.data(), expected.data(), dst.bytes()), 0);
}

TEST_F(HsaReduce, EveryOperationIntoOneOfItsSources) {
  const auto gpu = device(0);
  const Memory left = gpu->allocate(3 * sizeof(std::int32_t));
  const Memory right = gpu->allocate(3 * sizeof(std::int32_t));
  const std::array<std::int32_t, 3> a{1, -5, 7};
  const std::array<std::int32_t, 3> b{3, 2, -4};
  const auto reduced = [&](ReduceOperation operation) {
    std::memcpy(left.data(), a.data(), sizeof a);
    std::memcpy(right.data(), b.data(), sizeof b);
    run(*gpu, *make_reduce(
                  *gpu, {left.data(), {left.data(), right.data()}, 3, DataType::int32, operation}));
    std::array<std::int32_t, 3> result{};
    std::memcpy(result.data(), left.data(), sizeof result);
    return result;
  };
  EXPECT_THAT(reduced(ReduceOperation::sum), testing::ElementsAre(4, -3, 3));
  EXPECT_THAT(reduced(ReduceOperation::min), testing::ElementsAre(1, -5, -4));
  EXPECT_THAT(reduced(ReduceOperation::max), testing::ElementsAre(3, 2, 7));
  EXPECT_THAT(reduced(ReduceOperation::product), testing::ElementsAre(3, -10, -28));
}

TEST_F(HsaReduce, OfNothingIsNothing) {
  const auto gpu = device(0);
  const Memory memory = gpu->allocate(64);
  fill(*gpu, memory, {1, 1});
  run(*gpu,
      *make_reduce(*gpu,
                   {memory.data(), {memory.data()}, 0, DataType::float64, ReduceOperation::max}));
  EXPECT_EQ(mismatches(*gpu, memory, {1, 1}), 0U);
}

TEST_F(HsaReduce, BadArgumentsAreNamed) {
  const auto gpu = device(0);
  const Memory memory = gpu->allocate(64);
  const auto refused = [&](void* dst, std::vector<const void*> sources) {
    return refusal<InputError>([&] {
      (void)make_reduce(*gpu,
                        {dst, std::move(sources), 1, DataType::float32, ReduceOperation::sum});
    });
  };
  EXPECT_THAT(refused(memory.data(), {}), AllOf(HasSubstr("0 sources"), HasSubstr("1 to 16")));
  EXPECT_THAT(refused(memory.data(), std::vector<const void*>(17, memory.data())),
              HasSubstr("17 sources"));
  EXPECT_THAT(refused(memory.at(2), {memory.data()}),
              AllOf(HasSubstr("dst"), HasSubstr("multiple of 4")));
  EXPECT_THAT(refused(memory.data(), {memory.data(), memory.at(1)}), HasSubstr("source 1"));
}

}  // namespace
}  // namespace conccl::backend::hsa
