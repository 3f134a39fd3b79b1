// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// How slowdown tables are read between and beyond their points.
#pragma once

#include "conccl/core/machine.hpp"

namespace conccl::c3 {

/// Speed of a task on `units` units over its speed alone on the whole device: between two points
/// the factor is linear in units; below the first, speed is proportional to units; from the last on
/// it is that of the last. An empty table: 1 wherever there are any units.
[[nodiscard]] double task_speed(const SlowdownTable& table, double units);

/// As `task_speed`, but beyond the last point, where links and not units limit a collective, what
/// its units could move goes on growing in proportion: room that takes up interference.
[[nodiscard]] double kernel_speed(const SlowdownTable& table, double units);

}  // namespace conccl::c3
