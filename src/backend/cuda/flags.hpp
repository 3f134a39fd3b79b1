// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `CudaFlags`: flags in device memory, which streams of every GPU and process can write and wait
/// for.
#pragma once

#include <atomic>

#include "backend/cuda/gpu.hpp"
#include "conccl/backend/flags.hpp"

namespace conccl::backend::cuda {

/// Word 0 says whether the block is poisoned, flag i is word i + 1; words are 64 bytes apart. The
/// host's calls go through the GPU's side path, about ten microseconds each.
///
/// Poison writes a value above all others to every flag. A signal that a stream runs after that
/// lowers its flag again, so poison may be repeated: a queue that is synchronized or destroyed
/// repeats the poison of the blocks it waits for.
class CudaFlags final : public FlagBlock {
 public:
  static constexpr Bytes kStride = 64;

  [[nodiscard]] static constexpr Bytes bytes_for(int count) {
    return (static_cast<Bytes>(count) + 1) * kStride;
  }

  /// What outlives nobody's use of it: queues watch it.
  class State {
   public:
    State(std::shared_ptr<Gpu> gpu, Memory memory, int count);
    [[nodiscard]] CUdeviceptr word(int index) const;
    [[nodiscard]] std::uint64_t read(int index) const;
    void write(int index, std::uint64_t value) const;
    void poison();
    [[nodiscard]] bool poisoned();
    /// Whether this process knows it to be poisoned; asks no GPU.
    [[nodiscard]] bool known_poisoned() const { return poisoned_; }
    [[nodiscard]] const Memory& memory() const { return memory_; }
    [[nodiscard]] int count() const { return count_; }

   private:
    std::shared_ptr<Gpu> gpu_;
    Memory memory_;
    int count_;
    std::atomic<bool> poisoned_{false};
  };

  /// Over `memory` as it is. Throws RunError when it is too small.
  CudaFlags(std::shared_ptr<Gpu> gpu, Memory memory, int count);

  [[nodiscard]] int size() const override { return state_->count(); }
  [[nodiscard]] const Memory& memory() const override { return state_->memory(); }
  void raise(int flag, std::uint64_t value) override { state_->write(slot(flag), value); }
  [[nodiscard]] std::uint64_t value(int flag) const override { return state_->read(slot(flag)); }
  [[nodiscard]] WaitResult wait(int flag, std::uint64_t value,
                                std::chrono::nanoseconds limit) override;
  void poison() override { state_->poison(); }
  [[nodiscard]] bool poisoned() const override { return state_->poisoned(); }

  [[nodiscard]] CUdeviceptr word(int flag) const { return state_->word(slot(flag)); }
  [[nodiscard]] const std::shared_ptr<State>& state() const { return state_; }

 private:
  [[nodiscard]] int slot(int flag) const;

  std::shared_ptr<State> state_;
};

}  // namespace conccl::backend::cuda
