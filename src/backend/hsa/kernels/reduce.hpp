// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What one work-item of conccl_reduce does, whatever the grid. Compiled for GPUs, and for the host
/// by tests.
#pragma once

#include "backend/hsa/kernels/work.hpp"

#ifdef __HIP__
#pragma clang force_cuda_host_device begin
#endif

namespace conccl::backend::hsa {

/// Neighbouring elements that are moved by one instruction.
template <typename Stored, unsigned kLanes>
struct alignas(sizeof(Stored) * kLanes) Group {
  Stored lanes[kLanes];
};

/// `kLanes` elements from byte `at` on. All sources are read before `dst` is written.
template <typename Stored, Operation kOperation, unsigned kLanes>
void reduce_group(const ReduceArgs& args, std::uint64_t at) {
  using Loaded = Group<Stored, kLanes>;
  const auto source = [&](std::uint32_t i) {
    return load<Loaded>(static_cast<const unsigned char*>(args.sources[i]) + at);
  };
  Held<Stored> held[kLanes];
  const Loaded first = source(0);
  for (unsigned lane = 0; lane < kLanes; ++lane) held[lane] = widened(first.lanes[lane]);
  for (std::uint32_t i = 1; i < args.source_count; ++i) {
    const Loaded next = source(i);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      held[lane] = combined<kOperation>(held[lane], widened(next.lanes[lane]));
    }
  }
  Loaded result;
  for (unsigned lane = 0; lane < kLanes; ++lane) result.lanes[lane] = rounded<Stored>(held[lane]);
  store(static_cast<unsigned char*>(args.dst) + at, result);
}

inline bool aligned_alike(const ReduceArgs& args) {
  std::uint64_t apart = 0;
  for (std::uint32_t i = 0; i < args.source_count; ++i) {
    apart |= address_of(args.sources[i]) - address_of(args.dst);
  }
  return apart % sizeof(Quad) == 0;
}

template <typename Stored, Operation kOperation>
void reduce_all(const ReduceArgs& args, const WorkItem& me) {
  constexpr std::uint64_t kEach = sizeof(Stored);
  constexpr unsigned kLanes = sizeof(Quad) / kEach;
  const std::uint64_t bytes = args.count * kEach;
  const Split parts =
      aligned_alike(args) ? split(args.dst, bytes, sizeof(Quad)) : Split{bytes, 0, bytes};
  for (std::uint64_t i = me.index; i < parts.units; i += me.count) {
    reduce_group<Stored, kOperation, kLanes>(args, parts.head + i * sizeof(Quad));
  }
  for (std::uint64_t at = me.index * kEach; at < parts.head; at += me.count * kEach) {
    reduce_group<Stored, kOperation, 1>(args, at);
  }
  for (std::uint64_t at = parts.tail + me.index * kEach; at < bytes; at += me.count * kEach) {
    reduce_group<Stored, kOperation, 1>(args, at);
  }
}

template <typename Stored>
void reduce_numbers(const ReduceArgs& args, const WorkItem& me) {
  switch (args.operation) {
    case Operation::sum:
      return reduce_all<Stored, Operation::sum>(args, me);
    case Operation::min:
      return reduce_all<Stored, Operation::min>(args, me);
    case Operation::max:
      return reduce_all<Stored, Operation::max>(args, me);
    case Operation::product:
      return reduce_all<Stored, Operation::product>(args, me);
  }
}

inline void reduce(const ReduceArgs& args, const WorkItem& me) {
  if (args.source_count == 0) return;
  switch (args.type) {
    case Number::bf16:
      return reduce_numbers<Bf16>(args, me);
    case Number::fp16:
      return reduce_numbers<Fp16>(args, me);
    case Number::fp32:
      return reduce_numbers<float>(args, me);
    case Number::fp64:
      return reduce_numbers<double>(args, me);
    case Number::int8:
      return reduce_numbers<std::int8_t>(args, me);
    case Number::uint8:
      return reduce_numbers<std::uint8_t>(args, me);
    case Number::int32:
      return reduce_numbers<std::int32_t>(args, me);
    case Number::uint32:
      return reduce_numbers<std::uint32_t>(args, me);
    case Number::int64:
      return reduce_numbers<std::int64_t>(args, me);
    case Number::uint64:
      return reduce_numbers<std::uint64_t>(args, me);
  }
}

}  // namespace conccl::backend::hsa

#ifdef __HIP__
#pragma clang force_cuda_host_device end
#endif
