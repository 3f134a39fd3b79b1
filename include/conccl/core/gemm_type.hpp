// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Types of a matrix product.
#pragma once

#include <span>
#include <string_view>

#include "conccl/core/units.hpp"

namespace conccl {

/// What the operands are. Sums are in fp32, and the result is of the operands' type, but for fp8:
/// that is E4M3 (four bits of exponent, three of fraction), unscaled, with a result in bf16.
enum class GemmType { bf16, fp16, fp8, fp32 };

[[nodiscard]] std::span<const GemmType> all_gemm_types();

/// "bf16", "fp16", "fp8", "fp32": also the names of the peaks of a `Machine`.
[[nodiscard]] std::string_view name_of(GemmType type);

/// The inverse. Throws InputError listing the known.
[[nodiscard]] GemmType parse_gemm_type(std::string_view name);

/// Of one element of an operand, and of the result.
[[nodiscard]] Bytes operand_bytes(GemmType type);
[[nodiscard]] Bytes result_bytes(GemmType type);

}  // namespace conccl
