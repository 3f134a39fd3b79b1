// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// A matrix product: its shape, and with its type what there is to run.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "conccl/core/gemm_type.hpp"

namespace conccl {

/// Row-major C[m, n] = A[m, k] B[k, n]; m is the tokens.
struct GemmShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;

  friend auto operator<=>(const GemmShape&, const GemmShape&) = default;
};

struct GemmSpec {
  GemmShape shape;
  GemmType type = GemmType::bf16;

  friend auto operator<=>(const GemmSpec&, const GemmSpec&) = default;
};

/// Multiplications and additions: 2 m n k.
[[nodiscard]] double flops(const GemmShape& shape);

/// Each operand read once, the result written once.
[[nodiscard]] double bytes_moved(const GemmSpec& gemm);

/// "8192x8192x28672 fp8".
[[nodiscard]] std::string to_string(const GemmSpec& gemm);
/// "8192x8192x28672".
[[nodiscard]] std::string to_string(const GemmShape& shape);

/// Throws InputError for dimensions outside 1 .. 2^31 - 1.
void validate(const GemmShape& shape);

/// The inverse of the latter. Throws InputError for anything else, and for dimensions outside 1 ..
/// 2^31 - 1.
[[nodiscard]] GemmShape parse_gemm_shape(std::string_view text);

}  // namespace conccl
