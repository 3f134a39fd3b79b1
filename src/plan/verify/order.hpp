// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Whether one event of a plan comes before another in every interleaving. The events are steps,
/// and each rank's start and end.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "conccl/plan/verify.hpp"
#include "plan/verify/lane_index.hpp"
#include "plan/verify/search.hpp"

namespace conccl::plan {

/// Answers locally where it can (same lane, one flag), else by search. Counts in `cost`. Refers to
/// all it is given.
class Order {
 public:
  Order(const Structure& structure, const Schedule& schedule, Budget& budget, VerifyCost& cost);

  /// `earlier` and `later` are copies, `earlier` the first in the schedule.
  [[nodiscard]] Answer before(Event earlier, Event later);

  /// By search alone: the callers, who ask of all steps of a lane, know the local answers.
  [[nodiscard]] Answer start_before(int rank, Event event);
  [[nodiscard]] Answer before_end(Event event, int rank);

 private:
  const LaneIndex& index(std::uint32_t lane);
  BackwardSearch& search();

  const Structure& structure_;
  const Schedule& schedule_;
  Budget& budget_;
  VerifyCost& cost_;
  std::vector<std::optional<LaneIndex>> indices_;
  std::optional<BackwardSearch> search_;
};

}  // namespace conccl::plan
