// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `HsaDevice`: one rank's view of a GPU, which other ranks may share.
#pragma once

#include <memory>

#include "backend/host/memory.hpp"
#include "backend/hsa/runtime.hpp"
#include "backend/hsa/span_log.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::hsa {

class HsaDevice final : public Device {
 public:
  HsaDevice(std::shared_ptr<Runtime> runtime, int gpu);
  ~HsaDevice() override;
  HsaDevice(const HsaDevice&) = delete;
  HsaDevice& operator=(const HsaDevice&) = delete;

  [[nodiscard]] Memory allocate(Bytes bytes) override;
  /// Memory of this process by this backend or by other users of the runtime (hipMalloc), of any
  /// GPU, and flags.
  [[nodiscard]] std::optional<Allocation> allocation_of(const void* address) const override;
  [[nodiscard]] std::optional<std::string> why_unreachable(const Device& peer) const override;
  [[nodiscard]] std::optional<std::string> failure() const override;
  [[nodiscard]] Shareable share(const Allocation& allocation) override;
  [[nodiscard]] Memory map(Shareable shareable) override;
  /// In memory of the host.
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
  void start_timeline() override;
  [[nodiscard]] plan::Timeline take_timeline() override;

  [[nodiscard]] const std::shared_ptr<Runtime>& runtime() const { return runtime_; }
  [[nodiscard]] int gpu() const { return gpu_; }

 private:
  std::shared_ptr<Runtime> runtime_;
  int gpu_;
  host::Arena flags_;
  std::shared_ptr<SpanLog> log_;
  bool copy_times_ = false;
};

}  // namespace conccl::backend::hsa
