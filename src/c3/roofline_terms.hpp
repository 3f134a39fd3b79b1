// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The two sides of the roofline, before the machine's efficiency is applied to them.
#pragma once

#include "conccl/core/gemm_shape.hpp"
#include "conccl/core/machine.hpp"

namespace conccl::c3 {

/// Rounded up to whole nanoseconds, at most what fits.
[[nodiscard]] Nanoseconds whole_ns(double ns);

struct RooflineTerms {
  double compute_ns = 0;  ///< the arithmetic at the peak rate
  double memory_ns = 0;   ///< each operand read once, the result written once, at the peak rate
};

/// Throws InputError when the machine lacks the peak of the type or the memory bandwidth.
[[nodiscard]] RooflineTerms roofline_terms(const Machine& machine, const GemmSpec& gemm);

}  // namespace conccl::c3
