// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/signals.hpp"

namespace conccl::backend::hsa {

Signal& Signal::operator=(Signal&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(signal_, other.signal_);
  return *this;
}

Signal::~Signal() {
  if (pool_ != nullptr) pool_->give_back(signal_);
}

SignalPool::~SignalPool() {
  for (const auto signal : idle_) (void)calls_.hsa_signal_destroy(signal);
}

Signal SignalPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      const auto signal = idle_.back();
      idle_.pop_back();
      calls_.hsa_signal_store_screlease(signal, 1);
      return {*this, signal};
    }
  }
  {
    const std::lock_guard lock(mutex_);
    idle_.reserve(++made_);
  }
  abi::hsa_signal_t signal{};
  check(calls_, calls_.hsa_signal_create(1, 0, nullptr, &signal), {"hsa_signal_create"});
  return {*this, signal};
}

void SignalPool::give_back(abi::hsa_signal_t signal) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(signal);
}

}  // namespace conccl::backend::hsa
