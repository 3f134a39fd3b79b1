// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/gemm_shape.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "conccl/core/errors.hpp"

namespace conccl {
namespace {

constexpr std::int64_t kMaxDimension = std::numeric_limits<std::int32_t>::max();

[[noreturn]] void refuse(std::string_view text) {
  throw InputError(
      fmt::format("GEMM shape: '{}' is not MxNxK with each of 1 .. {}, as in "
                  "8192x8192x28672",
                  text, kMaxDimension));
}

/// Takes one dimension and, unless it is the last, the 'x' behind it.
std::int64_t take_dimension(std::string_view& rest, std::string_view whole) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc{} || value < 1 || value > kMaxDimension) refuse(whole);
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return value;
}

void take_separator(std::string_view& rest, std::string_view whole) {
  if (rest.empty() || rest.front() != 'x') refuse(whole);
  rest.remove_prefix(1);
}

}  // namespace

double flops(const GemmShape& shape) {
  return 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
         static_cast<double>(shape.k);
}

double bytes_moved(const GemmSpec& gemm) {
  const auto m = static_cast<double>(gemm.shape.m);
  const auto n = static_cast<double>(gemm.shape.n);
  const auto k = static_cast<double>(gemm.shape.k);
  return static_cast<double>(operand_bytes(gemm.type)) * (m * k + k * n) +
         static_cast<double>(result_bytes(gemm.type)) * m * n;
}

std::string to_string(const GemmSpec& gemm) {
  return fmt::format("{} {}", to_string(gemm.shape), name_of(gemm.type));
}

std::string to_string(const GemmShape& shape) {
  return fmt::format("{}x{}x{}", shape.m, shape.n, shape.k);
}

void validate(const GemmShape& shape) {
  for (const std::int64_t dimension : {shape.m, shape.n, shape.k}) {
    if (dimension < 1 || dimension > kMaxDimension) refuse(to_string(shape));
  }
}

GemmShape parse_gemm_shape(std::string_view text) {
  std::string_view rest = text;
  GemmShape shape;
  shape.m = take_dimension(rest, text);
  take_separator(rest, text);
  shape.n = take_dimension(rest, text);
  take_separator(rest, text);
  shape.k = take_dimension(rest, text);
  if (!rest.empty()) refuse(text);
  return shape;
}

}  // namespace conccl
