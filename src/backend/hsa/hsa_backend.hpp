// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `HsaBackend`: AMD GPUs by the HSA runtime.
#pragma once

#include <memory>
#include <mutex>

#include "backend/hsa/hip/hip.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::hsa {

class HsaBackend final : public Backend {
 public:
  HsaBackend();

  [[nodiscard]] const Capabilities& capabilities() const override { return capabilities_; }
  [[nodiscard]] const Machine& machine() const override;
  [[nodiscard]] std::unique_ptr<Device> open_device(int index) override;
  /// By hipGetDevice.
  [[nodiscard]] std::optional<int> current_device() const override;

 private:
  std::shared_ptr<Runtime> runtime_;
  std::shared_ptr<hip::Hip> hip_;  ///< null: there is none
  Capabilities capabilities_;
  mutable std::once_flag probed_;
  mutable Machine machine_;
};

}  // namespace conccl::backend::hsa
