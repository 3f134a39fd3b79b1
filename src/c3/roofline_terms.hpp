// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The two sides of the roofline, before the machine's efficiency is applied to them.
#pragma once

#include <span>
#include <string_view>

#include "conccl/core/gemm_shape.hpp"
#include "conccl/core/machine.hpp"

namespace conccl::c3 {

/// The operand types whose sizes are known: "bf16", "fp16", "fp32", "fp8".
[[nodiscard]] std::span<const std::string_view> operand_types();

/// Throws InputError for a type whose size is not known.
[[nodiscard]] double element_bytes(std::string_view type);

/// Rounded up to whole nanoseconds, at most what fits.
[[nodiscard]] Nanoseconds whole_ns(double ns);

struct RooflineTerms {
  double compute_ns = 0;  ///< the arithmetic at the peak rate
  double memory_ns = 0;   ///< each operand read once, the result written once, at the peak rate
};

/// Throws InputError for a type whose size is not known, and when the machine lacks the peak of the
/// type or the memory bandwidth.
[[nodiscard]] RooflineTerms roofline_terms(const Machine& machine, const GemmShape& shape,
                                           std::string_view type);

}  // namespace conccl::c3
