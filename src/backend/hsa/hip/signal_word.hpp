// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Words by which the host and a stream of HIP order one another.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "backend/hsa/failure.hpp"
#include "backend/hsa/hip/library.hpp"
#include "conccl/backend/flags.hpp"

namespace conccl::backend::hsa::hip {

/// A word of HIP's signal memory as a block of one flag. It only grows: raising it to less does
/// nothing.
class SignalWord final : public FlagBlock {
 public:
  /// HIP's current device is that GPU; `failure` is the GPU's, and outlives every wait. The memory
  /// is never freed: a stream may look at it long after. Throws RunError.
  SignalWord(const HipCalls& calls, int gpu, const Failure& failure);

  [[nodiscard]] int size() const override { return 1; }
  [[nodiscard]] const Memory& memory() const override { return memory_; }
  void raise(int flag, std::uint64_t value) override;
  [[nodiscard]] std::uint64_t value(int flag) const override;
  /// Poisoned too once the GPU has failed.
  [[nodiscard]] WaitResult wait(int flag, std::uint64_t value,
                                std::chrono::nanoseconds limit) override;
  void poison() override { poisoned_.store(true); }
  [[nodiscard]] bool poisoned() const override { return poisoned_.load() || failure_.declared(); }

 private:
  Memory memory_;
  const Failure& failure_;
  std::atomic<bool> poisoned_{false};
};

/// What one queue over a stream needs.
struct Handshake {
  std::shared_ptr<SignalWord> arrived;  ///< raised by the stream
  std::shared_ptr<SignalWord> done;     ///< raised by the host, waited for by the stream
  std::uint64_t last = 0;               ///< what both have been raised to, or will be
};

/// Idle ones of one GPU, which go on counting where they are: a stream that still waits for an
/// earlier count passes. Any thread may call it.
class Handshakes {
 public:
  /// As SignalWord's constructor.
  [[nodiscard]] Handshake take(const HipCalls& calls, int gpu, const Failure& failure);
  /// Both of its words are at `last`, and no stream will write to it any more.
  void give_back(Handshake handshake);

 private:
  std::mutex mutex_;
  std::vector<Handshake> idle_;
};

}  // namespace conccl::backend::hsa::hip
