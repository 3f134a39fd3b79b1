// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The runtime's clock, in which it says when copies and kernels ran.
#pragma once

#include <chrono>

#include "backend/hsa/library.hpp"

namespace conccl::backend::hsa {

[[nodiscard]] inline Nanoseconds steady_now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

/// Turns the runtime's ticks into times of the host's steady clock, as far as two readings of both
/// clocks, taken together, say.
class Clock {
 public:
  /// Reads both clocks. Throws RunError.
  explicit Clock(const Calls& calls);

  [[nodiscard]] Nanoseconds time_of(std::uint64_t ticks) const;
  /// For the timeouts of waits.
  [[nodiscard]] std::uint64_t ticks_of(std::chrono::nanoseconds duration) const;

 private:
  std::uint64_t frequency_ = 0;  ///< ticks per second
  std::uint64_t ticks_ = 0;
  Nanoseconds time_{};
};

}  // namespace conccl::backend::hsa
