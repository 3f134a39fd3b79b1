// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Every kernel of the backend. Each takes any grid of one dimension.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "backend/cuda/kernel_args.hpp"

using conccl::backend::CopyRange;
using conccl::backend::Pattern;
using conccl::backend::pattern_word;
using conccl::backend::PatternRange;
using conccl::backend::Tally;
using conccl::backend::cuda::kMostUnits;

namespace {

using Word = unsigned long long;

__device__ Word thread_index() { return blockIdx.x * static_cast<Word>(blockDim.x) + threadIdx.x; }
__device__ Word thread_count() { return gridDim.x * static_cast<Word>(blockDim.x); }

__device__ unsigned char pattern_byte(const Pattern& pattern, Word offset) {
  return static_cast<unsigned char>(pattern_word(pattern, offset / 8) >> (offset % 8 * 8));
}

/// Eight bytes of a pattern, from any byte of it on.
__device__ Word pattern_bytes(const Pattern& pattern, Word offset) {
  const Word shift = offset % 8 * 8;
  const Word low = pattern_word(pattern, offset / 8);
  if (shift == 0) return low;
  return low >> shift | pattern_word(pattern, offset / 8 + 1) << (64 - shift);
}

/// Calls `on_word(offset)` for each aligned word that lies wholly in the range, `on_byte(offset)`
/// for the bytes beside them.
template <typename OnWord, typename OnByte>
__device__ void each_word(const PatternRange& range, OnWord on_word, OnByte on_byte) {
  const Word misaligned = reinterpret_cast<Word>(range.data) % 8;
  const Word head = min(static_cast<Word>(range.bytes), (8 - misaligned) % 8);
  const Word words = (range.bytes - head) / 8;
  const Word tail = head + words * 8;
  for (Word i = thread_index(); i < words; i += thread_count()) on_word(head + i * 8);
  const Word me = thread_index();
  if (me < head) on_byte(me);
  if (me < range.bytes - tail) on_byte(tail + me);
}

/// Uniform in [-1, 1), rounded by `rounded`, which a value may round to 1.
template <typename Value, typename Rounded>
__device__ void randomize(Value* values, Word count, const Pattern& seed, Rounded rounded) {
  for (Word i = thread_index(); i < count; i += thread_count()) {
    const int bits = static_cast<int>(pattern_word(seed, i) >> 32);
    values[i] = rounded(static_cast<float>(bits >> 8) * 0x1p-23F);
  }
}

struct Count {
  Word compared = 0;
  Word mismatches = 0;
  Word inverted_first_bad = 0;

  __device__ void add(unsigned char found, unsigned char expected, Word offset) {
    ++compared;
    if (found == expected) return;
    ++mismatches;
    inverted_first_bad = max(inverted_first_bad, ~offset);
  }
  __device__ void add(Word found, Word expected, Word offset) {
    if (found == expected) {
      compared += 8;
      return;
    }
    for (int i = 0; i < 8; ++i) {
      add(static_cast<unsigned char>(found >> (8 * i)),
          static_cast<unsigned char>(expected >> (8 * i)), offset + i);
    }
  }
  /// Every thread of the block must come here.
  __device__ void add_to(Tally& tally) const {
    const Word all = warp_sum();
    if (threadIdx.x % 32 == 0 && all != 0) {
      atomicAdd(reinterpret_cast<Word*>(&tally.compared), all);
    }
    if (mismatches == 0) return;
    atomicAdd(reinterpret_cast<Word*>(&tally.mismatches), mismatches);
    atomicMax(reinterpret_cast<Word*>(&tally.inverted_first_bad), inverted_first_bad);
  }
  __device__ Word warp_sum() const {
    Word sum = compared;
    for (int distance = 16; distance > 0; distance /= 2) {
      sum += __shfl_down_sync(0xFFFFFFFFU, sum, distance);
    }
    return sum;
  }
};

}  // namespace

extern "C" __global__ void conccl_fill(PatternRange range) {
  each_word(
      range,
      [&](Word at) {
        *reinterpret_cast<Word*>(range.data + at) =
            pattern_bytes(range.pattern, range.pattern_offset + at);
      },
      [&](Word at) { range.data[at] = pattern_byte(range.pattern, range.pattern_offset + at); });
}

/// Offsets of the tally count from `base`.
extern "C" __global__ void conccl_compare(PatternRange range, Word base, Tally* tally) {
  Count count;
  each_word(
      range,
      [&](Word at) {
        count.add(*reinterpret_cast<const Word*>(range.data + at),
                  pattern_bytes(range.pattern, range.pattern_offset + at), base + at);
      },
      [&](Word at) {
        count.add(range.data[at], pattern_byte(range.pattern, range.pattern_offset + at),
                  base + at);
      });
  count.add_to(*tally);
}

extern "C" __global__ void conccl_conclude(const unsigned char* data, const Tally* tally,
                                           Tally* result) {
  if (thread_index() != 0) return;
  *result = *tally;
  if (tally->mismatches != 0) result->found = data[~tally->inverted_first_bad];
}

/// Counts bytes in which two buffers differ; both aligned to 8, `bytes` need not be a multiple.
extern "C" __global__ void conccl_differences(const unsigned char* left, const unsigned char* right,
                                              Word bytes, Tally* tally) {
  Count count;
  const PatternRange range{const_cast<unsigned char*>(left), bytes, {}, 0};
  each_word(
      range,
      [&](Word at) {
        count.add(*reinterpret_cast<const Word*>(left + at),
                  *reinterpret_cast<const Word*>(right + at), at);
      },
      [&](Word at) { count.add(left[at], right[at], at); });
  count.add_to(*tally);
}

extern "C" __global__ void conccl_random_bf16(__nv_bfloat16* values, Word count, Pattern seed) {
  randomize(values, count, seed, [](float value) { return __float2bfloat16_rn(value); });
}

extern "C" __global__ void conccl_random_fp16(__half* values, Word count, Pattern seed) {
  randomize(values, count, seed, [](float value) { return __float2half_rn(value); });
}

extern "C" __global__ void conccl_random_fp8(__nv_fp8_storage_t* values, Word count, Pattern seed) {
  randomize(values, count, seed,
            [](float value) { return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3); });
}

/// Sets the bit of each multiprocessor that runs a block; all blocks stay for some microseconds, so
/// that they spread over all they may have.
extern "C" __global__ void conccl_units(Word* seen) {
  unsigned unit = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(unit));
  if (threadIdx.x == 0) atomicOr(seen + unit / 64, Word{1} << unit % 64);
  const long long start = clock64();
  while (clock64() - start < 20000) {
  }
}

/// Each block reads the counters of the multiprocessor it runs on. The device's time moves on in
/// steps of up to a microsecond, so the cycles are those at a step. `readings` has kMostUnits
/// places of 16 bytes, one per multiprocessor, and may be in the host's memory.
extern "C" __global__ void conccl_counters(ulonglong2* readings) {
  constexpr int kMostLooks = 4096;
  if (threadIdx.x != 0) return;
  unsigned unit = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(unit));
  Word first = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(first));
  ulonglong2 reading{0, first};
  for (int look = 0; look < kMostLooks && reading.y == first; ++look) {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(reading.y));
    reading.x = static_cast<Word>(clock64());
  }
  // As one store: two blocks may share a multiprocessor.
  if (unit < kMostUnits) readings[unit] = reading;
}

/// Four loads in flight per thread where both sides are aligned alike.
extern "C" __global__ void conccl_copy(CopyRange range) {
  constexpr int kUnroll = 4;
  const Word to = reinterpret_cast<Word>(range.to);
  const bool alike = (to - reinterpret_cast<Word>(range.from)) % sizeof(uint4) == 0;
  const Word head = alike ? min(static_cast<Word>(range.bytes), (16 - to % 16) % 16)
                          : static_cast<Word>(range.bytes);
  const Word vectors = (range.bytes - head) / sizeof(uint4);
  auto* target = reinterpret_cast<uint4*>(range.to + head);
  const auto* source = reinterpret_cast<const uint4*>(range.from + head);
  Word i = thread_index();
  const Word step = thread_count();
  for (; i + (kUnroll - 1) * step < vectors; i += kUnroll * step) {
    uint4 held[kUnroll];
    for (int u = 0; u < kUnroll; ++u) held[u] = source[i + u * step];
    for (int u = 0; u < kUnroll; ++u) target[i + u * step] = held[u];
  }
  for (; i < vectors; i += step) target[i] = source[i];
  for (Word at = thread_index(); at < head; at += step) range.to[at] = range.from[at];
  const Word tail = head + vectors * sizeof(uint4);
  for (Word at = tail + thread_index(); at < range.bytes; at += step) {
    range.to[at] = range.from[at];
  }
}
