// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What should carry a collective of a communicator: DMA engines or kernels.
#pragma once

#include <optional>
#include <string>

#include "conccl/core/gemm_shape.hpp"
#include "conccl/core/machine.hpp"
#include "conccl/plan/build.hpp"

namespace conccl::c3 {

struct CarrierAdvice {
  plan::Form form = plan::Form::dma;
  std::string sentence;  ///< why, in one
};

/// Beside a GEMM: what `RuleSet::model` takes of "c3_base" and "conccl". The other strategies limit
/// the GEMM or hang on who is enqueued first, which is not a communicator's to say. Without one:
/// the faster alone; of equal ones DMA. Kernels are those whose costs the machine has. A block
/// counts as at least kBlockStep. Pure.
/// Throws InputError when the request has other ranks than the machine has devices, the machine
/// lacks a figure, or a time is too long to be counted.
[[nodiscard]] CarrierAdvice advise_carrier(const Machine& machine, const plan::Request& request,
                                           const std::optional<GemmSpec>& beside);

}  // namespace conccl::c3
