// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The oracle: decides what a plan means by running it, byte by byte, in every interleaving.
///
/// A plan's meaning is right when, run twice in a row with new inputs, in every interleaving every
/// rank ends, its recv ends as `expectation` says, its send ends as it began, no copy touches bytes
/// that another copy in flight writes (or writes bytes that another reads), none touches a rank's
/// buffers outside that rank's run, and no flag is raised twice in a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "conccl/plan/plan.hpp"

namespace conccl::plan::oracle {

enum class Meaning { right, wrong, undecided };

struct Outcome {
  Meaning meaning = Meaning::right;
  std::string why;         ///< wrong: the first thing that went wrong; undecided: the limit
  std::size_t events = 0;  ///< how many were tried
};

/// none: every order of all events. stubborn: at least one of every set of orders that differ only
/// in events that cannot affect one another (interpreter.cpp says why that is enough).
enum class Reduction { none, stubborn };

struct ExploreOptions {
  Reduction reduction = Reduction::stubborn;
  int runs = 2;
  std::size_t max_events = 1'000'000;
};

/// Every interleaving, or `undecided`.
[[nodiscard]] Outcome explore(const Plan& plan, const ExploreOptions& options = {});

/// `walks` random interleavings of two runs: `wrong`, or nothing wrong was found.
[[nodiscard]] Outcome sample(const Plan& plan, int walks, std::uint64_t seed);

}  // namespace conccl::plan::oracle
