// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `HostBackend`: ranks as threads on this machine's cores.
#pragma once

#include <mutex>

#include "backend/host/memory.hpp"
#include "backend/host/pool.hpp"
#include "backend/host/topology.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::host {

class HostBackend final : public Backend {
 public:
  HostBackend();

  [[nodiscard]] const Capabilities& capabilities() const override { return capabilities_; }
  /// Measures on the first call, for some tens of milliseconds.
  [[nodiscard]] const Machine& machine() const override;
  [[nodiscard]] std::unique_ptr<Device> open_device(int index) override;

 private:
  Topology topology_;
  CoreSplit cores_;
  Arena arena_;
  Capabilities capabilities_;
  mutable std::once_flag probed_;
  mutable Machine machine_;
  Pool dma_;
};

}  // namespace conccl::backend::host
