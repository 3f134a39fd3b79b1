// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/process_id.hpp"

#include <unistd.h>

#include <mutex>

#include "conccl/core/random_id.hpp"

namespace conccl::backend {
namespace {

class Identity {
 public:
  [[nodiscard]] ProcessId get() {
    const std::lock_guard lock(mutex_);
    if (process_ != getpid()) {
      id_ = random_id();
      process_ = getpid();
    }
    return id_;
  }

 private:
  std::mutex mutex_;
  pid_t process_ = 0;
  ProcessId id_{};
};

}  // namespace

ProcessId this_process() {
  static Identity identity;
  return identity.get();
}

}  // namespace conccl::backend
