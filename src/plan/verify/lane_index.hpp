// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Order within a lane, and over a single flag between two lanes: the local half of order queries.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/verify/structure.hpp"

namespace conccl::plan {

/// Built for a lane when something is first asked of it.
class LaneIndex {
 public:
  LaneIndex(const Structure& structure, std::uint32_t lane);

  /// Steps of this lane below this number come before `step`; those from it on do not, or are it.
  [[nodiscard]] std::uint32_t ordered_below(std::uint32_t step) const;

  /// Whether one signal after `earlier`, in its lane, is waited for in this lane before `step`.
  [[nodiscard]] bool one_flag_after(Event earlier, std::uint32_t step) const;

 private:
  /// A wait for a signal of lane `from`. `signal` is the last one of that lane that this wait or an
  /// earlier one waits for.
  struct Hop {
    std::uint32_t from;
    std::uint32_t wait;
    std::uint32_t signal;
  };
  void accumulate();

  std::vector<std::uint32_t> fences_;
  std::vector<Hop> hops_;
};

}  // namespace conccl::plan
