// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What compute units, interference and the power cap leave of each work's speed, before shared
/// resources are divided.
#pragma once

#include <span>
#include <vector>

#include "c3/model/script.hpp"

namespace conccl::c3 {

/// A work under way.
struct Running {
  const Work* work = nullptr;
  double units = 0;       ///< granted; of no meaning to a DMA copy
  double latency_ns = 0;  ///< still to pass
};

/// Over its isolated speed, 0 to 1.
struct Speed {
  double limit = 0;    ///< at most; the shared resources may leave less
  double latency = 1;  ///< at which its latency passes
};

/// Of each work. A collective, its latency too, is slowed by how fast the units of its device's
/// tasks let them run, and a task by how far kernels and DMA engines then fill the links of its
/// device. `devices`: of the script.
[[nodiscard]] std::vector<Speed> speed_limits(const System& system,
                                              std::span<const Running> running, int devices);

/// The part of its bytes that a work still moves per unit of progress: a task that is faster on
/// fewer units is so because it moves less.
[[nodiscard]] double traffic_scale(const Running& running);

}  // namespace conccl::c3
