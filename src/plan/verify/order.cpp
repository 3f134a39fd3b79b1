// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/verify/order.hpp"

namespace conccl::plan {

Order::Order(const Structure& structure, const Schedule& schedule, Budget& budget, VerifyCost& cost)
    : structure_(structure),
      schedule_(schedule),
      budget_(budget),
      cost_(cost),
      indices_(structure.lanes.size()) {}

const LaneIndex& Order::index(std::uint32_t lane) {
  auto& entry = indices_[lane];
  if (!entry) entry.emplace(structure_, lane);
  return *entry;
}

BackwardSearch& Order::search() {
  ++cost_.exact_searches;
  if (!search_) search_.emplace(structure_, schedule_, budget_);
  return *search_;
}

Answer Order::before(Event earlier, Event later) {
  const auto& lane = index(later.lane);
  const auto below = lane.ordered_below(later.step);
  if (earlier.lane == later.lane) {
    ++cost_.local_answers;
    return earlier.step < below ? Answer::yes : Answer::no;
  }
  if (lane.one_flag_after(earlier, later.step)) {
    ++cost_.local_answers;
    return Answer::yes;
  }
  auto& exact = search();
  exact.start_at(later.lane, below);
  return exact.reaches(earlier);
}

Answer Order::start_before(int rank, Event event) {
  auto& exact = search();
  exact.start_at(event.lane, index(event.lane).ordered_below(event.step));
  return exact.reaches_start(rank);
}

Answer Order::before_end(Event event, int rank) {
  auto& exact = search();
  exact.start_at_end(rank);
  return exact.reaches(event);
}

}  // namespace conccl::plan
