// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What the rounds of an attribution measure, and what follows from it. Pure.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "conccl/backend/device.hpp"
#include "conccl/backend/executor.hpp"
#include "conccl/bench/attribution.hpp"

namespace conccl::bench {

/// A run of its own in each round. "Read": cycle counters are read on the GEMM's lane before and
/// behind it, where the device has them, so such runs are compared among themselves.
enum class Probe : std::uint8_t {
  gemm,            ///< alone on the whole device
  gemm_share,      ///< alone on the strategy's units, where these are fewer
  comm,            ///< alone
  together,        ///< the strategy as it is
  gemm_read,       ///< alone on the strategy's units, read
  gemm_zero,       ///< the same with zero operands
  together_read,   ///< the strategy, read
  together_zero,   ///< the strategy with zero operands
  zero_read,       ///< the same, read
  small_read,      ///< the strategy, read, whose copies go over a region that fits the cache
  small_zero,      ///< the same with zero operands
  comm_small,      ///< such copies alone
  together_flags,  ///< the strategy with no copies, only their flags
  comm_flags       ///< such flags alone
};

/// From when the rank was let go.
struct TaskSpan {
  double start_ms = 0;
  double end_ms = 0;
};

struct RankTimes {
  TaskSpan gemm;
  TaskSpan comm;
  double clock_ghz = 0;  ///< 0: not read
};

/// By round, then rank.
using Series = std::vector<std::vector<RankTimes>>;

/// Who moves a collective's bytes, as far as plans tell.
enum class Copies : std::uint8_t {
  opaque,    ///< a task does: its copies cannot be changed
  fit,       ///< they fit the cache as they are
  too_large  ///< there are runs with smaller ones
};

struct Probed {
  std::map<Probe, Series> series;  ///< all but those that make no sense here
  Copies copies = Copies::opaque;
  std::uint64_t seed = 1;
};

/// Scenario and strategy stay empty.
[[nodiscard]] Attribution attribute(const Probed& probed);

/// Mean over the units that were read both times; nullopt without any.
[[nodiscard]] std::optional<double> clock_ghz(std::span<const backend::CycleReading> before,
                                              std::span<const backend::CycleReading> after);

/// The lanes' times as those of the two tasks: all lanes but the GEMM's are the collective's.
[[nodiscard]] RankTimes rank_times(const plan::RankPlan& lanes,
                                   std::span<const backend::LaneTimes> times);

}  // namespace conccl::bench
