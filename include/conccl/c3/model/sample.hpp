// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Measured times that the model of a machine is made from. Data only.
#pragma once

#include <string>
#include <string_view>

#include "conccl/core/gemm_shape.hpp"
#include "conccl/core/statistics.hpp"
#include "conccl/core/units.hpp"
#include "conccl/plan/request.hpp"

namespace conccl::c3 {

/// How a collective alone was carried, in `Sample::how`.
inline constexpr std::string_view kOnDma = "dma";
/// The vendor's kernels where its library ran, else ours.
inline constexpr std::string_view kOnKernels = "kernels";
/// The vendor's own mode on DMA engines.
inline constexpr std::string_view kOnVendorCopies = "vendor_copies";

/// One thing that ran, with one rank per device.
struct Sample {
  enum class Kind { gemm, collective, together };

  Kind kind = Kind::gemm;
  GemmSpec gemm;                                               ///< of all but `collective`
  plan::Collective collective = plan::Collective::all_gather;  ///< of all but `gemm`
  Bytes bytes = 0;  ///< of the collective, as nccl-tests count them
  /// Of `collective`: kOnDma, kOnKernels or kOnVendorCopies. Of `together`: the strategy's name. Of
  /// `gemm`: empty, kSustained or kRested.
  std::string how;
  /// Of `gemm`: units that it left to others. Of `collective`: units (a vendor's: thread blocks)
  /// that it was held to, 0: to none. Of `together`: as the strategy counts.
  int budget = 0;
  /// Of `gemm` and `together`: the part of its rounds' time in which GEMMs ran.
  double gemm_share = 0;
  Summary ms;  ///< the slowest rank, over rounds
};

/// In `Sample::how`: mean time of runs that followed one another for a while, so that the device's
/// power was limited.
inline constexpr std::string_view kSustained = "sustained";
/// Runs that each followed a pause, so that the device's power was not limited.
inline constexpr std::string_view kRested = "rested";

/// Clocks of the compute units under a GEMM.
struct ClockSample {
  GemmSpec gemm;
  plan::Collective collective = plan::Collective::all_gather;
  Bytes bytes = 0;
  double alone_ghz = 0;
  double together_ghz = 0;    ///< beside that collective on DMA engines
  double alone_zero_ghz = 0;  ///< with operands of zeros, which draw less power
};

}  // namespace conccl::c3
