// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Slots`: small places for what kernels count.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "backend/cuda/driver.hpp"
#include "backend/cuda/kernel_args.hpp"

namespace conccl::backend::cuda {

/// A tally on the GPU and the place where the host reads it.
struct Slot {
  Tally* device = nullptr;
  Tally* host = nullptr;  ///< pinned; kernels write it too
};

/// Freeing such memory would wait for all streams, so it is kept as long as the GPU is open. Any
/// thread may call it, the context must be current.
class Slots {
 public:
  explicit Slots(int gpu) : gpu_(gpu) {}
  ~Slots();
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;

  /// Goes back when the last copy is gone, which must be before these slots are.
  [[nodiscard]] std::shared_ptr<const Slot> take();

 private:
  void grow();

  int gpu_;
  std::mutex mutex_;
  std::vector<Slot> blocks_;  ///< the first of each block
  std::vector<Slot> idle_;
};

}  // namespace conccl::backend::cuda
