// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// A plan laid out for interpretation: all steps in one list, all buffers in one memory. Shares
/// nothing with the verifier but the plan's own types.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "conccl/plan/plan.hpp"

namespace conccl::plan::oracle {

inline constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// [begin, end) of the memory, or of the list of actions.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;

  [[nodiscard]] std::size_t size() const { return end - begin; }
};

/// Empty spans overlap nothing.
[[nodiscard]] constexpr bool overlap(const Span& a, const Span& b) {
  return a.begin < b.end && b.begin < a.end && a.begin < a.end && b.begin < b.end;
}

/// A step. Every action before `after` in its lane must be done before it may begin.
struct Action {
  int rank = 0;
  std::size_t lane_begin = 0;
  std::size_t after = 0;
  std::size_t raises = kNone;  ///< flag, counted over all ranks
  std::size_t awaits = kNone;
  bool is_copy = false;
  Span read;
  Span write;
  std::vector<int> touches;            ///< ranks whose buffers a copy reads or writes
  std::vector<std::size_t> conflicts;  ///< other copies with a common byte, written by one of them
  std::string text;
};

/// A byte of a result (or of a send buffer) and the byte that it must be at the end.
struct Expected {
  std::size_t at = 0;
  std::size_t origin = 0;
};

struct Program {
  std::vector<Action> actions;
  std::vector<std::vector<Span>> lanes;            ///< actions, by rank
  std::vector<Span> buffers;                       ///< memory of each rank, all its buffers
  std::vector<std::vector<std::size_t>> raisers;   ///< actions, by flag
  std::vector<std::vector<std::size_t>> touching;  ///< copies, by rank touched
  std::vector<std::vector<Expected>> expected;     ///< by rank
  std::size_t bytes = 0;
  std::string malformed;  ///< why no machine could run the plan; empty: it can be run

  [[nodiscard]] int ranks() const { return static_cast<int>(lanes.size()); }
};

/// `plan.request` must be valid; the rest may be anything.
[[nodiscard]] Program lay_out(const Plan& plan);

}  // namespace conccl::plan::oracle
