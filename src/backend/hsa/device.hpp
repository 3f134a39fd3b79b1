// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `HsaDevice`: one rank's view of a GPU, which other ranks may share.
#pragma once

#include <memory>

#include "backend/host/memory.hpp"
#include "backend/hsa/runtime.hpp"
#include "backend/hsa/span_log.hpp"
#include "backend/threaded/threaded_queue.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::hsa {

namespace hip {
class Hip;
}

class HsaDevice final : public Device {
 public:
  /// `hip` may be null: then there are no streams and no GEMMs.
  HsaDevice(std::shared_ptr<Runtime> runtime, std::shared_ptr<hip::Hip> hip, int gpu);

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
  [[nodiscard]] std::optional<std::uint64_t> stream_id(void* stream) const override;
  [[nodiscard]] std::unique_ptr<Queue> wrap(void* stream) override;

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
  [[nodiscard]] threaded::QueueSetup setup_of(const QueueSpec& spec);

  std::shared_ptr<Runtime> runtime_;
  std::shared_ptr<hip::Hip> hip_;
  int gpu_;
  host::Arena flags_;
  std::shared_ptr<SpanLog> log_;
};

}  // namespace conccl::backend::hsa
