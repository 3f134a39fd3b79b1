// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What host code and kernels agree on: every kernel takes one of these structures, by value. Code
/// of a device includes this header too.
#pragma once

#include <cstdint>

#include "backend/kernel_args.hpp"

namespace conccl::backend::hsa {

inline constexpr unsigned kWorkgroup = 256;  ///< work-items, of every kernel

/// conccl_fill: writes the range's pattern.
struct FillArgs {
  PatternRange range;
};

/// conccl_set: `bytes` bytes at `data` become `value`.
struct SetArgs {
  unsigned char* data = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t value = 0;  ///< 0 .. 255
};

/// conccl_compare: adds to the tally; its offsets count from `base`.
struct CompareArgs {
  PatternRange range;
  std::uint64_t base = 0;
  Tally* tally = nullptr;
};

/// conccl_conclude: copies a tally and adds the first wrong byte of `data`. One workgroup.
struct ConcludeArgs {
  const unsigned char* data = nullptr;
  const Tally* tally = nullptr;
  Tally* result = nullptr;
};

/// conccl_differences: counts bytes in which two buffers differ; both aligned to 8.
struct DifferencesArgs {
  const unsigned char* left = nullptr;
  const unsigned char* right = nullptr;
  std::uint64_t bytes = 0;
  Tally* tally = nullptr;
};

/// What numbers are.
enum class Number : std::uint32_t {
  bf16,
  fp16,
  fp32,
  fp64,
  int8,
  uint8,
  int32,
  uint32,
  int64,
  uint64
};

/// conccl_random: values uniform in [-1, 1) from the pattern `seed`; of bf16, fp16 and fp32.
struct RandomArgs {
  void* values = nullptr;
  std::uint64_t count = 0;
  Pattern seed;
  Number type = Number::bf16;
};

/// conccl_copy.
struct CopyArgs {
  CopyRange range;
};

enum class Operation : std::uint32_t { sum, min, max, product };
inline constexpr unsigned kMostSources = 16;

/// conccl_reduce: dst[i] = op of sources[0][i], sources[1][i], ... in this order, each step rounded
/// to `type` only at the end: bf16 and fp16 are added up in fp32. `dst` may be one of the sources.
/// All are aligned to their type. Of a number and a NaN, min and max are the number.
struct ReduceArgs {
  void* dst = nullptr;
  const void* sources[kMostSources] = {};
  std::uint64_t count = 0;  ///< elements
  std::uint32_t source_count = 0;
  Number type = Number::fp32;
  Operation operation = Operation::sum;
};

}  // namespace conccl::backend::hsa
