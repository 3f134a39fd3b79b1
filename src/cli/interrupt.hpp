// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Ctrl-C as a flag that long runs look at.
#pragma once

#include <atomic>
#include <csignal>

namespace conccl::cli {

/// While it lives, the first SIGINT sets `flag()` and the second ends the process. One at a time.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  [[nodiscard]] const std::atomic<bool>& flag() const;

 private:
  struct sigaction before_{};
};

}  // namespace conccl::cli
