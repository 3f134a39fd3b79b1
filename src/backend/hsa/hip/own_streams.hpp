// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `OwnStreams`: streams of HIP that this backend made, used again and again.
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/hsa/hip/library.hpp"
#include "conccl/plan/plan.hpp"

namespace conccl::backend::hsa::hip {

/// What a stream may use.
struct StreamSpec {
  std::vector<int> units;  ///< compute units, as the mask counts them; empty: all
  plan::Priority priority = plan::Priority::normal;

  friend auto operator<=>(const StreamSpec&, const StreamSpec&) = default;
};

/// Of one GPU. Any thread may call it.
class OwnStreams {
 public:
  /// `units`: how many the GPU has.
  OwnStreams(const HipCalls& calls, int gpu, int units) : calls_(calls), gpu_(gpu), units_(units) {}
  /// Those that are lent are not destroyed.
  ~OwnStreams();
  OwnStreams(const OwnStreams&) = delete;
  OwnStreams& operator=(const OwnStreams&) = delete;

  /// HIP's current device is this GPU. HIP has no call for both a mask and a priority, and none for
  /// a mask and hipStreamNonBlocking: a stream with a mask has the normal priority and keeps order
  /// with the legacy default stream. Throws RunError.
  [[nodiscard]] abi::hipStream_t take(const StreamSpec& spec);
  /// It is idle.
  void give_back(const StreamSpec& spec, abi::hipStream_t stream);

 private:
  [[nodiscard]] abi::hipStream_t make(const StreamSpec& spec) const;

  const HipCalls& calls_;
  int gpu_;
  int units_;
  std::mutex mutex_;
  std::map<StreamSpec, std::vector<abi::hipStream_t>> idle_;
};

}  // namespace conccl::backend::hsa::hip
