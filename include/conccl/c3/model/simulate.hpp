// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The model of contention: when each step of a plan would run on a machine. docs/model.md explains
/// it and proves what follows from it. Pure and deterministic; times are whole nanoseconds. Times
/// made here are a model's and are labelled as such wherever they are printed.
#pragma once

#include <span>

#include "conccl/core/machine.hpp"
#include "conccl/plan/plan.hpp"
#include "conccl/plan/timeline.hpp"

namespace conccl::c3 {

/// A task of a plan, alone on a whole device.
struct TaskCost {
  Nanoseconds alone{};
  double memory_bytes = 0;  ///< read and written in device memory
  double cache_bytes = 0;   ///< through the last-level cache
  /// It gives units up only at the end of a wave of so many workgroups; 0: at any moment.
  double workgroups = 0;
  SlowdownTable slowdown;         ///< by compute units; empty: the same on any number
  SlowdownTable slowdown_beside;  ///< beside a partition of the others; empty: as `slowdown`
  BesideFacts beside;  ///< all zero: the machine's beside_kernels and beside_dma, both ways
};

/// Whether ranks that all do the same, seen from their own place, are simulated as one. The result
/// is the same; the cost is one rank's.
enum class Symmetry { used, ignored };

/// One span per copy and task. `tasks` are those of `plan.tasks`, alike on every rank. Copies of a
/// compute lane between two fences are one kernel and share its span's times. Throws InputError
/// when the machine lacks a figure that the plan needs or its figures contradict each other (a task
/// that moves more than the memory can, a time too long to be counted), CheckFailed for a plan that
/// never ends.
[[nodiscard]] plan::Timeline simulate(const Machine& machine, const plan::Plan& plan,
                                      std::span<const TaskCost> tasks,
                                      Symmetry symmetry = Symmetry::used);

/// The end of the last span of `simulate`, without making a timeline.
[[nodiscard]] Nanoseconds simulated_time(const Machine& machine, const plan::Plan& plan,
                                         std::span<const TaskCost> tasks,
                                         Symmetry symmetry = Symmetry::used);

}  // namespace conccl::c3
