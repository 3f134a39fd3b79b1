// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Signals of this process, used again and again. None is shared between processes.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "backend/hsa/library.hpp"

namespace conccl::backend::hsa {

class SignalPool;

/// Goes back to its pool when it is destroyed; nothing may use it any more then.
class Signal {
 public:
  Signal() = default;
  Signal(SignalPool& pool, abi::hsa_signal_t signal) : pool_(&pool), signal_(signal) {}
  Signal(Signal&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)), signal_(other.signal_) {}
  Signal& operator=(Signal&& other) noexcept;
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;
  ~Signal();

  [[nodiscard]] abi::hsa_signal_t get() const { return signal_; }

 private:
  SignalPool* pool_ = nullptr;
  abi::hsa_signal_t signal_{};
};

/// Any thread may call it. It must outlive its signals.
class SignalPool {
 public:
  explicit SignalPool(const Calls& calls) : calls_(calls) {}
  ~SignalPool();
  SignalPool(const SignalPool&) = delete;
  SignalPool& operator=(const SignalPool&) = delete;

  /// At 1. Throws RunError.
  [[nodiscard]] Signal take();

 private:
  friend class Signal;
  void give_back(abi::hsa_signal_t signal);

  const Calls& calls_;
  std::mutex mutex_;
  std::vector<abi::hsa_signal_t> idle_;  ///< with room for all
  std::size_t made_ = 0;
};

}  // namespace conccl::backend::hsa
