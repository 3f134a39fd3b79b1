// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Owners of driver objects. Destructors ignore what the driver says: there is nobody to tell.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/cuda/driver.hpp"

namespace conccl::backend::cuda {

/// Destroying it does not wait for its work.
class Stream {
 public:
  Stream() = default;
  explicit Stream(CUstream handle) : handle_(handle) {}
  Stream(Stream&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (handle_ != nullptr) (void)driver().cuStreamDestroy(handle_);
  }

  [[nodiscard]] CUstream get() const { return handle_; }

 private:
  CUstream handle_ = nullptr;
};

/// Goes back to its pool when the last copy is gone.
using Event = std::shared_ptr<CUevent_st>;

/// Events of one context. Events may outlive the pool. Any thread may call it.
class EventPool {
 public:
  /// `flags` are the driver's, of each event.
  explicit EventPool(unsigned flags) : flags_(flags), idle_(std::make_shared<Idle>()) {}
  /// The context must be current.
  [[nodiscard]] Event take();
  /// One that is destroyed with its last copy. The driver holds on to what an event was last
  /// recorded in, so one of a capture is not for another thread to use again.
  [[nodiscard]] Event make() const;

 private:
  struct Idle {
    std::mutex mutex;
    std::vector<CUevent> events;
    ~Idle();
  };
  unsigned flags_;
  std::shared_ptr<Idle> idle_;
};

}  // namespace conccl::backend::cuda
