// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Calls into a vendor's library that wait for other ranks, with a limit.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace conccl::bench {

/// Makes such calls on threads of their own, one at a time.
struct BoundedCaller {
  std::chrono::milliseconds limit{30'000};
  std::function<void()> enter;  ///< first on each thread: makes the GPU's context current

  /// Runs `call` and rethrows what it throws. Throws RunError naming `what` when it is not done
  /// within the limit; its thread is then left to itself, so `call` must own all it touches.
  void operator()(const std::string& what, std::function<void()> call) const;
};

}  // namespace conccl::bench
