// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What follows from the model without simulating. docs/model.md has the statements, conditions and
/// proofs; the property tests hold the simulator to them. Times in nanoseconds.
#pragma once

#include <span>
#include <vector>

namespace conccl::c3 {

/// A task alone: how long, and what share of each resource it uses meanwhile, 0 to 1. Tasks that
/// are compared list the same resources.
struct Task {
  double alone_ns = 0;
  std::vector<double> shares;
};

/// No schedule with these implementations ends earlier: the longest task alone, and the time that
/// each resource needs for what all tasks ask of it. Some schedule attains it.
[[nodiscard]] double lower_bound(std::span<const Task> tasks);

/// One after the other: no Pareto-efficient rates end later.
[[nodiscard]] double upper_bound(std::span<const Task> tasks);

/// The rate of both while both run under max-min fairness: 1, or the reciprocal of the largest sum
/// of the two shares of a resource.
[[nodiscard]] double fair_rate(const Task& a, const Task& b);

/// When both are done under max-min fairness: `longer + shorter (1 / fair_rate - 1)`.
[[nodiscard]] double fair_time(const Task& a, const Task& b);

/// Under a cap on power, tasks of fixed energies end no earlier. Energies in watt nanoseconds.
[[nodiscard]] double energy_bound(std::span<const double> energies, double cap_w);

/// The index at which the larger of the two times is smallest; of equal ones the first. `gemm` and
/// `comm` hold one time per split, splits ordered by the units that the collective gets. Where the
/// one never falls and the other never rises it is next to where they cross, otherwise anywhere.
/// Throws InputError unless both have the same, positive number of times.
[[nodiscard]] std::size_t best_split(std::span<const double> gemm, std::span<const double> comm);

}  // namespace conccl::c3
