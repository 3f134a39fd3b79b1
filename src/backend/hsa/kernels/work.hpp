// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What one work-item of each kernel does, whatever the grid. Compiled for GPUs, and for the host
/// by tests.
#pragma once

#include "backend/hsa/kernels/numbers.hpp"

#ifdef __HIP__
#pragma clang force_cuda_host_device begin
#endif

namespace conccl::backend::hsa {

/// One of `count` that share the work.
struct WorkItem {
  std::uint64_t index = 0;
  std::uint64_t count = 1;
};

/// Moved by one instruction.
struct alignas(16) Quad {
  std::uint64_t halves[2];
};

template <typename Unit>
Unit load(const unsigned char* from) {
  Unit unit;
  __builtin_memcpy(&unit, __builtin_assume_aligned(from, sizeof(Unit)), sizeof(Unit));
  return unit;
}

template <typename Unit>
void store(unsigned char* to, const Unit& unit) {
  __builtin_memcpy(__builtin_assume_aligned(to, sizeof(Unit)), &unit, sizeof(Unit));
}

inline std::uint64_t address_of(const void* data) { return reinterpret_cast<std::uintptr_t>(data); }

/// A range as single bytes up to an aligned unit, whole units, and the bytes left over.
struct Split {
  std::uint64_t head = 0;
  std::uint64_t units = 0;
  std::uint64_t tail = 0;  ///< where the last bytes begin
};

inline Split split(const void* data, std::uint64_t bytes, std::uint64_t unit) {
  const std::uint64_t wanted = (unit - address_of(data) % unit) % unit;
  const std::uint64_t head = wanted < bytes ? wanted : bytes;
  const std::uint64_t units = (bytes - head) / unit;
  return {head, units, head + units * unit};
}

template <typename OnByte>
void each_single(const Split& parts, std::uint64_t bytes, const WorkItem& me, OnByte on_byte) {
  for (std::uint64_t at = me.index; at < parts.head; at += me.count) on_byte(at);
  for (std::uint64_t at = parts.tail + me.index; at < bytes; at += me.count) on_byte(at);
}

/// Calls `on_unit(offset)` and `on_byte(offset)` for this work-item's part of a range.
template <typename Unit, typename OnUnit, typename OnByte>
void each(const unsigned char* data, std::uint64_t bytes, const WorkItem& me, OnUnit on_unit,
          OnByte on_byte) {
  const Split parts = split(data, bytes, sizeof(Unit));
  for (std::uint64_t i = me.index; i < parts.units; i += me.count) {
    on_unit(parts.head + i * sizeof(Unit));
  }
  each_single(parts, bytes, me, on_byte);
}

inline unsigned char pattern_byte(const Pattern& pattern, std::uint64_t offset) {
  return static_cast<unsigned char>(pattern_word(pattern, offset / 8) >> (offset % 8 * 8));
}

/// Eight bytes of a pattern, from any of its bytes on.
inline std::uint64_t pattern_bytes(const Pattern& pattern, std::uint64_t offset) {
  const std::uint64_t shift = offset % 8 * 8;
  const std::uint64_t low = pattern_word(pattern, offset / 8);
  if (shift == 0) return low;
  return low >> shift | pattern_word(pattern, offset / 8 + 1) << (64 - shift);
}

inline void fill(const FillArgs& args, const WorkItem& me) {
  const PatternRange& range = args.range;
  each<std::uint64_t>(
      range.data, range.bytes, me,
      [&](std::uint64_t at) {
        store(range.data + at, pattern_bytes(range.pattern, range.pattern_offset + at));
      },
      [&](std::uint64_t at) {
        range.data[at] = pattern_byte(range.pattern, range.pattern_offset + at);
      });
}

inline void set(const SetArgs& args, const WorkItem& me) {
  const std::uint64_t word = args.value * 0x0101010101010101u;
  each<Quad>(
      args.data, args.bytes, me,
      [&](std::uint64_t at) { store(args.data + at, Quad{{word, word}}); },
      [&](std::uint64_t at) { args.data[at] = static_cast<unsigned char>(args.value); });
}

/// A work-item's part of a tally.
struct Count {
  std::uint64_t compared = 0;
  std::uint64_t mismatches = 0;
  std::uint64_t inverted_first_bad = 0;

  void add_byte(unsigned char found, unsigned char expected, std::uint64_t offset) {
    ++compared;
    if (found == expected) return;
    ++mismatches;
    if (inverted_first_bad < ~offset) inverted_first_bad = ~offset;
  }
  void add_word(std::uint64_t found, std::uint64_t expected, std::uint64_t offset) {
    if (found == expected) {
      compared += 8;
      return;
    }
    for (unsigned i = 0; i < 8; ++i) {
      add_byte(static_cast<unsigned char>(found >> (8 * i)),
               static_cast<unsigned char>(expected >> (8 * i)), offset + i);
    }
  }
};

inline Count compare(const CompareArgs& args, const WorkItem& me) {
  Count count;
  const PatternRange& range = args.range;
  each<std::uint64_t>(
      range.data, range.bytes, me,
      [&](std::uint64_t at) {
        count.add_word(load<std::uint64_t>(range.data + at),
                       pattern_bytes(range.pattern, range.pattern_offset + at), args.base + at);
      },
      [&](std::uint64_t at) {
        count.add_byte(range.data[at], pattern_byte(range.pattern, range.pattern_offset + at),
                       args.base + at);
      });
  return count;
}

inline Count differences(const DifferencesArgs& args, const WorkItem& me) {
  Count count;
  each<std::uint64_t>(
      args.left, args.bytes, me,
      [&](std::uint64_t at) {
        count.add_word(load<std::uint64_t>(args.left + at), load<std::uint64_t>(args.right + at),
                       at);
      },
      [&](std::uint64_t at) { count.add_byte(args.left[at], args.right[at], at); });
  return count;
}

/// Uniform in [-1, 1), which rounding may make 1.
template <typename Stored>
void randomize(const RandomArgs& args, const WorkItem& me) {
  auto* values = static_cast<Stored*>(args.values);
  for (std::uint64_t i = me.index; i < args.count; i += me.count) {
    const auto bits = static_cast<std::int32_t>(pattern_word(args.seed, i) >> 32);
    values[i] = rounded<Stored>(static_cast<float>(bits >> 8) * 0x1p-23F);
  }
}

inline void random(const RandomArgs& args, const WorkItem& me) {
  switch (args.type) {
    case Number::bf16:
      return randomize<Bf16>(args, me);
    case Number::fp16:
      return randomize<Fp16>(args, me);
    case Number::fp32:
      return randomize<float>(args, me);
    default:
      return;
  }
}

/// Both sides are aligned alike to the unit. Four loads in flight per work-item.
template <typename Unit>
void copy_by(const CopyRange& range, const WorkItem& me) {
  constexpr unsigned kUnroll = 4;
  const Split parts = split(range.to, range.bytes, sizeof(Unit));
  unsigned char* const to = range.to + parts.head;
  const unsigned char* const from = range.from + parts.head;
  std::uint64_t i = me.index;
  for (; i + (kUnroll - 1) * me.count < parts.units; i += kUnroll * me.count) {
    Unit held[kUnroll];
    for (unsigned u = 0; u < kUnroll; ++u) {
      held[u] = load<Unit>(from + (i + u * me.count) * sizeof(Unit));
    }
    for (unsigned u = 0; u < kUnroll; ++u) store(to + (i + u * me.count) * sizeof(Unit), held[u]);
  }
  for (; i < parts.units; i += me.count) {
    store(to + i * sizeof(Unit), load<Unit>(from + i * sizeof(Unit)));
  }
  each_single(parts, range.bytes, me, [&](std::uint64_t at) { range.to[at] = range.from[at]; });
}

inline void copy(const CopyArgs& args, const WorkItem& me) {
  const std::uint64_t apart = address_of(args.range.to) - address_of(args.range.from);
  if (apart % sizeof(Quad) == 0) return copy_by<Quad>(args.range, me);
  if (apart % sizeof(std::uint32_t) == 0) return copy_by<std::uint32_t>(args.range, me);
  copy_by<unsigned char>(args.range, me);
}

}  // namespace conccl::backend::hsa

#ifdef __HIP__
#pragma clang force_cuda_host_device end
#endif
