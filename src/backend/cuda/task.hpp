// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Launchable`: a task of this backend, as its queues see it.
#pragma once

#include "backend/cuda/gpu.hpp"
#include "conccl/backend/queue.hpp"

namespace conccl::backend::cuda {

/// Where a task's kernels go.
struct LaunchSite {
  Gpu& gpu;
  CUstream stream = nullptr;
  int units = 0;                ///< multiprocessors the stream may use
  const void* owner = nullptr;  ///< whom the harvest knows
};

class Launchable {
 public:
  virtual ~Launchable() = default;
  /// Enqueues; waits for nothing. The GPU's context is current.
  virtual void launch(const LaunchSite& site) = 0;
  /// Whether each run tells the host something, as the replay of a graph cannot.
  [[nodiscard]] virtual bool reports() const { return false; }
};

}  // namespace conccl::backend::cuda
