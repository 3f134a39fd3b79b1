// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The numbers of kernels and what is done with two of them. Compiled for GPUs, and for the host
/// by tests.
#pragma once

#include <cstdint>
#include <type_traits>

#include "backend/hsa/kernel_args.hpp"

#ifdef __HIP__
#pragma clang force_cuda_host_device begin
#endif

namespace conccl::backend::hsa {

struct Bf16 {
  std::uint16_t bits;
};
__extension__ using Fp16 = _Float16;

/// What a number is added up in.
template <typename Stored>
struct HeldAs {
  using Type = Stored;
};
template <>
struct HeldAs<Bf16> {
  using Type = float;
};
template <>
struct HeldAs<Fp16> {
  using Type = float;
};
template <typename Stored>
using Held = typename HeldAs<Stored>::Type;

template <typename Stored>
Held<Stored> widened(Stored value) {
  if constexpr (std::is_same_v<Stored, Bf16>) {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(value.bits) << 16);
  } else {
    return static_cast<Held<Stored>>(value);
  }
}

/// To the nearest, ties to even; a NaN stays one.
template <typename Stored>
Stored rounded(Held<Stored> value) {
  if constexpr (std::is_same_v<Stored, Bf16>) {
    const auto bits = __builtin_bit_cast(std::uint32_t, value);
    if (value != value) return {static_cast<std::uint16_t>(bits >> 16 | 0x40u)};
    return {static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16)};
  } else {
    return static_cast<Stored>(value);
  }
}

/// Integers wrap around. Of a number and a NaN, the smaller and the larger are the number; of two
/// that compare equal, both are the first.
template <Operation kOperation, typename Number>
Number combined(Number left, Number right) {
  if constexpr (kOperation == Operation::min || kOperation == Operation::max) {
    const bool takes_right = kOperation == Operation::min ? right < left : left < right;
    if constexpr (std::is_floating_point_v<Number>) {
      return takes_right || left != left ? right : left;
    } else {
      return takes_right ? right : left;
    }
  } else if constexpr (std::is_integral_v<Number>) {
    using Wide = std::conditional_t<sizeof(Number) == 8, std::uint64_t, std::uint32_t>;
    const auto first = static_cast<Wide>(left);
    const auto second = static_cast<Wide>(right);
    return static_cast<Number>(kOperation == Operation::sum ? first + second : first * second);
  } else {
    return kOperation == Operation::sum ? left + right : left * right;
  }
}

}  // namespace conccl::backend::hsa

#ifdef __HIP__
#pragma clang force_cuda_host_device end
#endif
