// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `HostDevice`: one rank's share of the host.
#pragma once

#include <utility>

#include "backend/host/memory.hpp"
#include "backend/host/pool.hpp"
#include "backend/host/span_log.hpp"
#include "backend/host/topology.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::host {

/// `dma`, `cores` and `arena` are the backend's and must outlive the device.
struct DeviceSetup {
  int index = 0;
  int compute_units = 0;
  Pool& dma;
  const CoreSplit& cores;
  Arena& arena;
};

class HostDevice final : public Device {
 public:
  explicit HostDevice(const DeviceSetup& setup);

  [[nodiscard]] Memory allocate(Bytes bytes) override { return arena_.allocate(bytes); }
  /// Of any device of this process.
  [[nodiscard]] std::optional<Allocation> allocation_of(const void* address) const override {
    return arena_.allocation_of(address);
  }
  [[nodiscard]] Shareable share(const Allocation& allocation) override {
    return arena_.share(allocation);
  }
  [[nodiscard]] Memory map(Shareable shareable) override {
    return arena_.map(std::move(shareable));
  }
  [[nodiscard]] std::unique_ptr<FlagBlock> make_flags(int count) override;
  [[nodiscard]] std::unique_ptr<FlagBlock> map_flags(Memory memory, int count) override;
  [[nodiscard]] std::unique_ptr<Queue> make_queue(const QueueSpec& spec) override;

  [[nodiscard]] std::unique_ptr<Gemm> make_gemm(const GemmSpec& spec, std::uint64_t seed) override;
  [[nodiscard]] std::unique_ptr<Task> make_fill(void* data,
                                                std::vector<Stretch> stretches) override;
  [[nodiscard]] std::unique_ptr<Task> make_poison(void* data, Bytes bytes) override;
  [[nodiscard]] std::unique_ptr<Task> make_compare(const void* data, std::vector<Stretch> stretches,
                                                   Comparison& result) override;

  [[nodiscard]] Nanoseconds now() const override;
  void start_timeline() override { log_.start(); }
  [[nodiscard]] plan::Timeline take_timeline() override { return log_.take(); }

 private:
  Pool& dma_;
  const CoreSplit& cores_;
  Arena& arena_;
  SpanLog log_;
  Pool compute_;
};

}  // namespace conccl::backend::host
