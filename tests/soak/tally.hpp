// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What has been done and found so far.
#pragma once

#include <chrono>
#include <cstdint>

#include "tests/soak/resources.hpp"

namespace conccl::soak {

/// Counted from the schedule, so the same on every rank. A collective counts once, however many
/// ranks take part.
struct Tally {
  std::uint64_t all_gather = 0;
  std::uint64_t all_to_all = 0;
  std::uint64_t in_place = 0;
  std::uint64_t windowed = 0;
  std::uint64_t pull = 0;
  std::uint64_t on_compute = 0;
  std::uint64_t empty = 0;
  std::uint64_t grouped = 0;
  std::uint64_t exchanges = 0;
  std::uint64_t communicators = 0;
  std::uint64_t windows = 0;
  std::uint64_t buffers = 0;

  [[nodiscard]] std::uint64_t collectives() const { return all_gather + all_to_all; }
};

/// One rank's. Plain bytes, for an exchange.
struct Findings {
  std::uint64_t checked_bytes = 0;
  std::uint64_t wrong_bytes = 0;
  std::chrono::nanoseconds elapsed{};
  std::chrono::nanoseconds worst_call{};  ///< of one collective or group, on the host
  Resources early{};                      ///< after a tenth of the time
  Resources late{};
};

}  // namespace conccl::soak
