// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/clock.hpp"

#include <cmath>

#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa {
namespace {

constexpr int kReadings = 5;

std::uint64_t system_info(const Calls& calls, abi::hsa_system_info_t which) {
  std::uint64_t value = 0;
  check(calls, calls.hsa_system_get_info(which, &value), {"hsa_system_get_info"});
  return value;
}

}  // namespace

Clock::Clock(const Calls& calls)
    : frequency_(system_info(calls, abi::HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY)) {
  if (frequency_ == 0) throw RunError("the HSA runtime's clock has a frequency of 0");
  // The reading between the two closest looks at the steady clock says most.
  Nanoseconds narrowest = Nanoseconds::max();
  for (int i = 0; i < kReadings; ++i) {
    const Nanoseconds before = steady_now();
    const std::uint64_t ticks = system_info(calls, abi::HSA_SYSTEM_INFO_TIMESTAMP);
    const Nanoseconds after = steady_now();
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    ticks_ = ticks;
    time_ = before + narrowest / 2;
  }
}

Nanoseconds Clock::time_of(std::uint64_t ticks) const {
  const auto since = static_cast<double>(static_cast<std::int64_t>(ticks - ticks_));
  return time_ + Nanoseconds(std::llround(since * 1e9 / static_cast<double>(frequency_)));
}

std::uint64_t Clock::ticks_of(std::chrono::nanoseconds duration) const {
  const double ticks =
      static_cast<double>(duration.count()) / 1e9 * static_cast<double>(frequency_);
  return static_cast<std::uint64_t>(std::max(1.0, ticks));
}

}  // namespace conccl::backend::hsa
