// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `CudaQueue`: records operations and hands them to a stream.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "backend/cuda/flags.hpp"
#include "backend/cuda/span_log.hpp"
#include "backend/cuda/task.hpp"
#include "conccl/backend/queue.hpp"

namespace conccl::backend::cuda {

/// Whose work an operation is.
struct Source {
  plan::Engine engine = plan::Engine::compute;  ///< for copies
  std::string label;                            ///< empty unless a timeline is being recorded
  Origin origin;
};
struct CopyOp {
  void* dst = nullptr;
  const void* src = nullptr;
  Bytes bytes = 0;
  Source source;
};
struct SignalOp {
  CUdeviceptr word = 0;
  std::uint64_t value = 0;
};
struct WaitOp {
  CudaFlags::State* block = nullptr;  ///< in place until what waits has run, as its flags are
  CUdeviceptr word = 0;
  std::uint64_t value = 0;
};
struct ComputeOp {
  Launchable* task = nullptr;
  Source source;
};
struct TimestampOp {
  Timestamp* slot = nullptr;
};
struct AfterOp {
  Event event;
};
using Op = std::variant<CopyOp, SignalOp, WaitOp, ComputeOp, TimestampOp, AfterOp>;

/// What a queue hands its work to.
struct Target {
  std::shared_ptr<Gpu> gpu;
  std::shared_ptr<SpanLog> log;
  std::string label;
  plan::Engine engine = plan::Engine::compute;
  int units = 0;  ///< multiprocessors the stream may use
  CUstream stream = nullptr;
  bool joins_default =
      false;  ///< work comes after the legacy default stream's, and before its next
};

/// Copies of a queue on DMA engines between two fences go into one call of the driver, which may
/// overlap them; a queue on compute units copies by a kernel of one block per multiprocessor. The
/// driver moves what is not device memory.
class CudaQueue final : public Queue {
 public:
  /// `stream` may own nothing: then `target.stream` is another's,
  /// which must live while the queue is used, and is not waited for when the queue is destroyed.
  CudaQueue(Target target, Stream stream);
  ~CudaQueue() override;
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;

  void copy(void* dst, const void* src, Bytes bytes, Origin origin) override;
  void signal(FlagRef flag, std::uint64_t value) override;
  void wait(FlagRef flag, std::uint64_t value) override;
  void compute(Task& task, Origin origin) override;
  void timestamp(Timestamp& slot) override;
  void after(Queue& other) override;
  /// Copies by DMA engines can be put into any stream.
  [[nodiscard]] bool serves(plan::Engine engine) const override {
    return engine == plan::Engine::dma;
  }
  void act_as(const QueueSpec* lane) override { lane_ = lane; }
  void submit() override;
  [[nodiscard]] std::uint64_t capture() const override;
  void keep(std::shared_ptr<void> what) override;
  [[nodiscard]] bool synchronize(std::chrono::nanoseconds limit) override;
  [[nodiscard]] const Target& target() const { return target_; }
  [[nodiscard]] void* native() const override {
    return target_.joins_default ? nullptr : target_.stream;
  }

 private:
  [[nodiscard]] CudaFlags& flags(const FlagRef& flag) const;
  [[nodiscard]] Source source(Origin origin) const;
  void end();
  void enqueue(const std::vector<Op>& ops);
  void watch(CudaFlags::State& block);
  [[nodiscard]] bool drained(std::chrono::nanoseconds limit);

  Target target_;
  Stream stream_;
  const QueueSpec* lane_ = nullptr;
  std::vector<Op> recording_;
  std::vector<const CopyOp*> copies_;  ///< a submission's, empty between two
  /// A block of waits that may not have passed.
  struct Watched {
    const CudaFlags::State* address = nullptr;  ///< to know it by
    std::weak_ptr<CudaFlags::State> block;
  };
  std::vector<Watched> waited_;
};

}  // namespace conccl::backend::cuda
