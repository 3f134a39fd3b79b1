// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `CudaBackend`: the GPUs of this machine that the driver shows.
#pragma once

#include <mutex>
#include <vector>

#include "backend/cuda/gpu.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::cuda {

/// GPUs are opened when a rank first asks for one.
class CudaBackend final : public Backend {
 public:
  CudaBackend();

  [[nodiscard]] const Capabilities& capabilities() const override { return capabilities_; }
  /// Measures on the first call, for about a second.
  [[nodiscard]] const Machine& machine() const override;
  [[nodiscard]] std::unique_ptr<Device> open_device(int index) override;
  /// Of the context that is current.
  [[nodiscard]] std::optional<int> current_device() const override;

 private:
  [[nodiscard]] std::shared_ptr<Gpu> gpu(std::size_t ordinal) const;

  std::vector<GpuFacts> facts_;
  Capabilities capabilities_;
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<Gpu>> gpus_;  ///< null: not opened
  mutable std::once_flag probed_;
  mutable Machine machine_;
};

}  // namespace conccl::backend::cuda
