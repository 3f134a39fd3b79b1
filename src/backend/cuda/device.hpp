// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `CudaDevice`: one rank's view of a GPU, which other ranks may share.
#pragma once

#include <memory>

#include "backend/cuda/gpu.hpp"
#include "backend/cuda/span_log.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::cuda {

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(std::shared_ptr<Gpu> gpu);

  [[nodiscard]] Memory allocate(Bytes bytes) override;
  /// Memory of this process by this backend, by cudaMalloc or by virtual memory calls, of any GPU.
  [[nodiscard]] std::optional<Allocation> allocation_of(const void* address) const override;
  [[nodiscard]] std::optional<Allocation> allocation_over(const void* address,
                                                          Bytes bytes) const override;
  /// Memory of this GPU alone, in one place: not the host's, not managed.
  [[nodiscard]] bool lies_in(const void* address, std::uint64_t id) const override;
  [[nodiscard]] std::optional<std::string> why_unusable(const void* address, Bytes bytes,
                                                        Reach reach) const override;
  [[nodiscard]] std::optional<std::string> why_unreachable(const Device& peer) const override;
  [[nodiscard]] Shareable share(const Allocation& allocation) override;
  [[nodiscard]] Memory map(Shareable shareable) override;
  [[nodiscard]] std::unique_ptr<FlagBlock> make_flags(int count) override;
  [[nodiscard]] std::unique_ptr<FlagBlock> map_flags(Memory memory, int count) override;
  [[nodiscard]] std::unique_ptr<Queue> make_queue(const QueueSpec& spec) override;
  /// See `cuda::wrap_stream`.
  [[nodiscard]] std::unique_ptr<Queue> wrap(void* stream) override;
  /// The driver's own.
  [[nodiscard]] std::optional<std::uint64_t> stream_id(void* stream) const override;

  [[nodiscard]] std::unique_ptr<Gemm> make_gemm(const GemmSpec& spec, std::uint64_t seed) override;
  [[nodiscard]] std::unique_ptr<Task> make_fill(void* data,
                                                std::vector<Stretch> stretches) override;
  [[nodiscard]] std::unique_ptr<Task> make_poison(void* data, Bytes bytes) override;
  [[nodiscard]] std::unique_ptr<Task> make_compare(const void* data, std::vector<Stretch> stretches,
                                                   Comparison& result) override;
  [[nodiscard]] std::unique_ptr<Task> make_cycle_reading(
      std::vector<CycleReading>& readings) override;

  [[nodiscard]] Nanoseconds now() const override;
  /// Spans come from events around what was handed to the driver: see SpanLog.
  void start_timeline() override { log_->start(); }
  [[nodiscard]] plan::Timeline take_timeline() override { return log_->take(); }

 private:
  std::shared_ptr<Gpu> gpu_;
  std::shared_ptr<SpanLog> log_;
};

}  // namespace conccl::backend::cuda
