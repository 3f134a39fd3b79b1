// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Isolated times from a machine's figures alone. Labelled as a model wherever they are printed.
#pragma once

#include "conccl/core/gemm_shape.hpp"
#include "conccl/core/machine.hpp"
#include "conccl/plan/request.hpp"

namespace conccl::c3 {

/// The larger of `2 m n k / (peak e)` and `(s (m k + k n) + r m n) / (memory bandwidth e)`, with
/// the peak of the type, s and r the sizes of its operands and results, and e the machine's
/// `gemm_efficiency`: the ConCCL paper's estimate (arXiv 2412.14335). Where `model.gemm_serial` is
/// known, the second has the model's `memory_efficiency` for e (1 where not known), and that share
/// of the smaller is added. `model.gemm_launch` is added either way. Measured times are not looked
/// at. Throws InputError when the machine lacks a figure.
[[nodiscard]] Nanoseconds roofline_gemm(const Machine& machine, const GemmSpec& gemm);

/// `a + b bytes` of the vendor's collective, bytes as nccl-tests count them. Throws InputError when
/// the machine file has no such collective.
[[nodiscard]] Nanoseconds baseline_collective(const Machine& machine, plan::Collective collective,
                                              Bytes bytes);

}  // namespace conccl::c3
