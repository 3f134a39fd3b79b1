// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Looking things up among measured samples, and fitting a figure to them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conccl/c3/model/sample.hpp"
#include "conccl/core/machine.hpp"

namespace conccl::c3 {

/// One GEMM alone. Where it was measured beside several collectives, the medians of those.
struct GemmTimes {
  GemmSpec gemm;
  double in_rounds = 0;            ///< ms, on the whole device
  std::map<int, double> slowdown;  ///< by units given up, over the whole device in the same rounds
  Summary spread;                  ///< over all rounds, with no unit given up
  std::optional<double> rested;    ///< ms, of runs after pauses

  /// While nothing limits the device's power.
  [[nodiscard]] double alone() const { return rested.value_or(in_rounds); }
};

/// Of a GEMM that was measured on the whole device, in order of appearance.
[[nodiscard]] std::vector<GemmTimes> gemm_times(std::span<const Sample> samples);

/// Times of a collective alone, carried so and held to so many units (0: to none), by bytes.
struct CarriedBy {
  plan::Collective collective = plan::Collective::all_gather;
  std::string_view how;
  int budget = 0;
};
[[nodiscard]] bool is_of(const Sample& sample, const CarriedBy& which);
[[nodiscard]] std::map<Bytes, double> collective_times(std::span<const Sample> samples,
                                                       const CarriedBy& which);
/// The limits that its kernels were held to, ascending.
[[nodiscard]] std::vector<int> kernel_limits(std::span<const Sample> samples,
                                             plan::Collective collective);

/// To so many significant digits: what times tell, and what a reader can read.
[[nodiscard]] double rounded(double value, int digits = 4);

/// A figure that may lie between `low` and `high`.
struct Searched {
  double* figure = nullptr;
  double low = 0;
  double high = 0;
};
/// Sets each figure in turn so that `error` is least, the others as they are, `passes` times over:
/// by a coarse grid and then a golden section, and rounds it. A figure stays where no other value
/// is better.
void search(std::span<const Searched> figures, const std::function<double()>& error, int passes);

}  // namespace conccl::c3
