// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `HostKernels`: kernels that the host waits for.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "backend/hsa/compute.hpp"

namespace conccl::backend::hsa::hip {

/// Of one GPU, all on one queue of it. Any thread may call it.
class HostKernels {
 public:
  HostKernels(std::shared_ptr<Runtime> runtime, int gpu)
      : lane_(ComputeSpec{std::move(runtime), gpu, "gemm", {}, plan::Priority::normal}) {}

  /// Waits until what `launch` launched, which moves at most `bytes`, has ended. Throws RunError,
  /// Unavailable without kernels.
  void run(Bytes bytes, const std::function<void(ComputeLane&)>& launch) {
    const std::lock_guard lock(mutex_);
    launch(lane_);
    lane_.finish(bytes);
  }

 private:
  std::mutex mutex_;
  ComputeLane lane_;
};

}  // namespace conccl::backend::hsa::hip
