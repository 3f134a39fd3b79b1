// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Words by which the host and a stream of HIP order one another.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/hsa/failure.hpp"
#include "backend/hsa/hip/library.hpp"
#include "conccl/backend/flags.hpp"

namespace conccl::backend::hsa::hip {

/// A word of signal memory as a block of one flag. It only grows: raising it to less does nothing.
class SignalWord final : public FlagBlock {
 public:
  /// `failure` is the GPU's, and outlives every wait.
  SignalWord(Memory memory, const Failure& failure)
      : memory_(std::move(memory)), failure_(failure) {}

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
struct WordPair {
  Memory arrived;          ///< raised by the stream
  Memory done;             ///< raised by the host, waited for by the stream
  std::uint64_t last = 0;  ///< what both have been raised to, or will be
};

/// The signal memory of this process. None is ever freed: a stream may look at a word long after
/// its queue is gone, and one that still waits for an earlier count passes, for whoever has the
/// words next goes on counting. Any thread may call it.
class WordPairs {
 public:
  /// The one of this process.
  [[nodiscard]] static WordPairs& of_process();

  /// Of that device of HIP, which is the current one; `gpu` is for errors. Throws RunError.
  [[nodiscard]] WordPair take(const HipCalls& calls, int ordinal, int gpu);
  /// Both of its words are at `last`, and no stream will write to them any more.
  void give_back(int ordinal, WordPair words);

 private:
  Memory make(const HipCalls& calls, int gpu);

  std::mutex mutex_;
  std::vector<Memory> all_;
  std::map<int, std::vector<WordPair>> idle_;  ///< by the device
};

}  // namespace conccl::backend::hsa::hip
