// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Ctrl-C, and being told to end, as a flag that long runs look at.
#pragma once

#include <array>
#include <atomic>
#include <csignal>

namespace conccl::cli {

/// While it lives, the first SIGINT or SIGTERM sets `flag()` and the second of either ends the
/// process. One at a time.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  [[nodiscard]] const std::atomic<bool>& flag() const;

 private:
  std::array<struct sigaction, 2> before_{};
};

}  // namespace conccl::cli
