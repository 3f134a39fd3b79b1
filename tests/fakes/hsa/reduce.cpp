// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "backend/hsa/kernel_args.hpp"
#include "tests/fakes/hsa/kernels.hpp"

namespace conccl::test::fake_hsa {
namespace {

using backend::hsa::kMostSources;
using backend::hsa::Number;
using backend::hsa::Operation;
using backend::hsa::ReduceArgs;

/// Integers wrap around; of a number and a NaN, the number is the smaller and the larger.
template <typename Value>
Value apply(Operation operation, Value left, Value right) {
  const bool extreme = operation == Operation::min || operation == Operation::max;
  if (extreme && left != left) return right;
  switch (operation) {
    case Operation::min:
      return right < left ? right : left;
    case Operation::max:
      return left < right ? right : left;
    case Operation::sum:
    case Operation::product:
      break;
  }
  const bool sum = operation == Operation::sum;
  if constexpr (std::is_integral_v<Value>) {
    const auto a = static_cast<std::uint64_t>(left);
    const auto b = static_cast<std::uint64_t>(right);
    return static_cast<Value>(sum ? a + b : a * b);
  } else {
    return sum ? left + right : left * right;
  }
}

/// `Stored` is what memory holds, `Value` what is added up.
template <typename Stored, typename Value, typename Load, typename Store>
void reduce_as(const ReduceArgs& args, Reach& reach, Load load, Store store) {
  std::vector<std::span<const Stored>> sources;
  for (std::uint32_t i = 0; i < args.source_count; ++i) {
    sources.push_back(reach.span(static_cast<const Stored*>(args.sources[i]), args.count));
  }
  const auto dst = reach.span(static_cast<Stored*>(args.dst), args.count);
  for (std::size_t at = 0; at < dst.size(); ++at) {
    Value value = load(sources[0][at]);
    for (std::size_t i = 1; i < sources.size(); ++i) {
      value = apply<Value>(args.operation, value, load(sources[i][at]));
    }
    dst[at] = store(value);
  }
}

template <typename Value>
void reduce_plain(const ReduceArgs& args, Reach& reach) {
  const auto same = [](Value value) { return value; };
  reduce_as<Value, Value>(args, reach, same, same);
}

std::size_t size_of(Number type) {
  switch (type) {
    case Number::int8:
    case Number::uint8:
      return 1;
    case Number::bf16:
    case Number::fp16:
      return 2;
    case Number::fp32:
    case Number::int32:
    case Number::uint32:
      return 4;
    case Number::fp64:
    case Number::int64:
    case Number::uint64:
      return 8;
  }
  throw KernelException();
}

void check_reduce(const ReduceArgs& args) {
  const auto aligned = [bytes = size_of(args.type)](const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
  };
  if (args.source_count == 0 || args.source_count > kMostSources) throw KernelException();
  if (args.operation > Operation::product || !aligned(args.dst)) throw KernelException();
  for (std::uint32_t i = 0; i < args.source_count; ++i) {
    if (!aligned(args.sources[i])) throw KernelException();
  }
}

}  // namespace

void run_reduce(const void* arguments, Reach& reach) {
  ReduceArgs args;
  std::memcpy(&args, arguments, sizeof args);
  check_reduce(args);
  switch (args.type) {
    case Number::bf16:
      return reduce_as<std::uint16_t, float>(args, reach, from_bf16, to_bf16);
    case Number::fp16:
      return reduce_as<std::uint16_t, float>(args, reach, from_fp16, to_fp16);
    case Number::fp32:
      return reduce_plain<float>(args, reach);
    case Number::fp64:
      return reduce_plain<double>(args, reach);
    case Number::int8:
      return reduce_plain<std::int8_t>(args, reach);
    case Number::uint8:
      return reduce_plain<std::uint8_t>(args, reach);
    case Number::int32:
      return reduce_plain<std::int32_t>(args, reach);
    case Number::uint32:
      return reduce_plain<std::uint32_t>(args, reach);
    case Number::int64:
      return reduce_plain<std::int64_t>(args, reach);
    case Number::uint64:
      return reduce_plain<std::uint64_t>(args, reach);
  }
}

float from_bf16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16U); }

std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16U | 0x40U);
  const auto odd = bits >> 16U & 1U;
  return static_cast<std::uint16_t>((bits + 0x7FFFU + odd) >> 16U);
}

float from_fp16(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1F;
  const int fraction = bits & 0x3FF;
  const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 0x1F) return sign * (fraction == 0 ? HUGE_VALF : std::nanf(""));
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
}

std::uint16_t to_fp16(float value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const auto with_sign = [sign](std::uint32_t bits) {
    return static_cast<std::uint16_t>(sign | bits);
  };
  const float size = std::fabs(value);
  if (std::isnan(value)) return with_sign(0x7E00);
  if (size >= 65520.0F) return with_sign(0x7C00);
  if (size < 0x1p-14F) return with_sign(static_cast<std::uint32_t>(std::nearbyint(size * 0x1p24F)));
  const auto bits = std::bit_cast<std::uint32_t>(size);
  const auto rounded = bits + 0xFFFU + (bits >> 13U & 1U);
  return with_sign((rounded >> 13U) - ((127U - 15U) << 10U));
}

}  // namespace conccl::test::fake_hsa
