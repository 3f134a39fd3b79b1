// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The cost model `a + b * bytes`, and its fit.
#pragma once

#include <span>

#include "conccl/core/units.hpp"

namespace conccl {

struct CostSample {
  Bytes bytes = 0;
  Nanoseconds time{};
};

/// `fixed` is a, `ns_per_byte` is b. `a / b` is the size below which latency rules.
struct LinearCost {
  double fixed_ns = 0;
  double ns_per_byte = 0;

  [[nodiscard]] Nanoseconds at(Bytes bytes) const;
  /// The largest size that costs at most `time`; 0 when even nothing costs more. Throws InputError
  /// when `ns_per_byte` is not positive.
  [[nodiscard]] Bytes bytes_within(Nanoseconds time) const;

  friend bool operator==(const LinearCost&, const LinearCost&) = default;
};

/// Least squares on relative error (each residual divided by its measured time), with `a` and `b`
/// held at zero or above. Throws InputError unless two different sizes are given,
/// and for a time that is not positive.
[[nodiscard]] LinearCost fit_linear_cost(std::span<const CostSample> samples);

}  // namespace conccl
