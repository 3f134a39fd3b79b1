// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Plans that differ from a strategy's in one thing. Pure.
#pragma once

#include <optional>

#include "bench/rig.hpp"

namespace conccl::bench {

/// Tasks that read cycle counters before and behind the GEMM, by their index in the plan's tasks.
struct ReadingTasks {
  int before = 0;
  int behind = 0;
};

/// The same with the readings around the GEMM, on its lane.
[[nodiscard]] Configuration with_readings(Configuration configuration, const ReadingTasks& tasks);

/// The same bytes between the same ranks, but what each rank copies from, and what it copies to,
/// are regions of at most `region` bytes, over which its copies go again and again. nullopt where
/// they are no larger as they are. Such a plan does not do what its request says: copies of one lap
/// write the same bytes to the same places as those of another.
[[nodiscard]] std::optional<Configuration> with_small_region(Configuration configuration,
                                                             Bytes region);

/// The flags alone.
[[nodiscard]] Configuration without_copies(Configuration configuration);

/// Whether any step is a copy.
[[nodiscard]] bool has_copies(const Configuration& configuration);

/// The share of the GEMM's lane; everything where there is none.
[[nodiscard]] plan::Share gemm_share(const Configuration& configuration);

}  // namespace conccl::bench
