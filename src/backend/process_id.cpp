// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/process_id.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <mutex>

#include "conccl/core/errors.hpp"

namespace conccl::backend {
namespace {

ProcessId random_id() {
  ProcessId id{};
  if (getrandom(id.data(), id.size(), 0) != static_cast<ssize_t>(id.size())) {
    throw RunError("getrandom: no random bytes");
  }
  return id;
}

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
