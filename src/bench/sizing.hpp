// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// How large a scenario is on this machine.
#pragma once

#include <map>

#include "bench/peers/peers.hpp"
#include "bench/rig.hpp"
#include "conccl/bench/study.hpp"

namespace conccl::bench {

/// A scenario's GEMM and collective as they will run.
struct Size {
  GemmSpec gemm;
  Bytes block = 0;  ///< bytes per peer
};

/// The shape with all dimensions scaled alike to about `flops`, none below `kLeastDimension`.
inline constexpr std::int64_t kLeastDimension = 16;
[[nodiscard]] GemmShape scale_gemm(const GemmShape& shape, double flops);

/// Measures what sizes need. On an emulating backend GEMMs are scaled to take the options' target
/// and bytes are set so that t_comm / t_gemm is the reference machine's; elsewhere shapes and bytes
/// are the suite's own, and a ratio becomes bytes by measurement. A GEMM's type is what it runs as.
/// Collectives are measured as the baseline is: the vendor's kernels, or our compute-unit form
/// where there are none.
class Sizer {
 public:
  /// All but the capabilities must outlive it.
  Sizer(Rig& rig, Peers& peers, const StudyOptions& options,
        const backend::Capabilities& capabilities);

  /// Of a scenario whose GEMM there is.
  [[nodiscard]] Size size_of(const c3::Scenario& scenario);

 private:
  [[nodiscard]] GemmSpec fit_gemm(const GemmSpec& spec);
  [[nodiscard]] Nanoseconds time_gemm(const GemmSpec& spec);
  [[nodiscard]] Bytes fit_block(plan::Collective collective, Nanoseconds target);
  [[nodiscard]] Nanoseconds time_collective(plan::Collective collective, Bytes block);

  Rig& rig_;
  Peers& peers_;
  const StudyOptions& options_;
  bool scaled_;
  backend::GemmOffers offers_;
  std::map<plan::Collective, double> ns_per_byte_;  ///< of the block, as last measured
  std::map<std::string, GemmSpec> gemms_;           ///< fitted, by the suite's own
  std::map<std::string, Nanoseconds> gemm_times_;
};

/// In place where the collective can: what frameworks use, and no copy of the own block.
[[nodiscard]] plan::Request request_for(plan::Collective collective, int ranks, Bytes block);

/// The collective alone on all ranks, with the whole device.
[[nodiscard]] Configuration collective_alone(const plan::Request& request,
                                             const plan::Method& method);
/// The same on DMA engines, of which the device has some.
[[nodiscard]] Configuration dma_alone(const plan::Request& request, const c3::DeviceShape& device);
/// The GEMM alone on all ranks.
[[nodiscard]] Configuration gemm_alone(const plan::Request& request, const plan::Share& share);

/// One per local rank.
[[nodiscard]] std::vector<std::unique_ptr<backend::Gemm>> make_gemms(const Rig& rig,
                                                                     const GemmSpec& spec,
                                                                     std::uint64_t seed);

}  // namespace conccl::bench
