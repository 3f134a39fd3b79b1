// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/verify/search.hpp"

#include <variant>

namespace conccl::plan {

BackwardSearch::BackwardSearch(const Structure& structure, const Schedule& schedule, Budget& budget)
    : structure_(structure), budget_(budget), reached_(structure.lanes.size()) {
  const auto& lanes = structure.lanes;
  std::size_t steps = 0;
  for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
    first_.push_back(steps);
    steps += lanes.steps(lane).size();
  }
  times_.resize(steps);
  std::size_t now = 0;
  for (const auto& burst : schedule.bursts) {
    for (auto step = burst.begin; step < burst.end; ++step) {
      times_[first_[burst.lane] + step] = now++;
    }
  }
  rank_reached_.resize(structure.use.size() / kBufferKinds);
}

bool BackwardSearch::begin(const Point& point) {
  if (point == point_) return false;
  point_ = point;
  ++walk_;
  pending_ = {};
  return true;
}

void BackwardSearch::start_at(std::uint32_t lane, std::uint32_t below) {
  if (begin({lane, below, -1})) reach(lane, below);
}

void BackwardSearch::start_at_end(int rank) {
  if (!begin({kNone, 0, rank})) return;
  const auto& lanes = structure_.lanes;
  for (auto lane = lanes.first_of(rank); lane < lanes.first_of(rank + 1); ++lane) {
    reach(lane, static_cast<std::uint32_t>(lanes.steps(lane).size()));
  }
}

void BackwardSearch::reach(std::uint32_t lane, std::uint32_t below) {
  Reached& reached = reached_[lane];
  if (reached.walk == walk_ && reached.below >= below) return;
  // A lane reached further than before: no wait below `below` has been followed yet, because those
  // followed so far are all later in the schedule than step `below` of this lane.
  reached = {walk_, below, kNone};
  rank_reached_[static_cast<std::size_t>(structure_.lanes.rank(lane))] = walk_;
  queue_wait_below(lane, below);
}

void BackwardSearch::queue_wait_below(std::uint32_t lane, std::uint32_t step) {
  const auto& steps = structure_.lanes.steps(lane);
  const auto from = step;
  while (step > 0 && !std::holds_alternative<Wait>(steps[step - 1])) --step;
  budget_.spend(from - step + 1);
  reached_[lane].cursor = step == 0 ? kNone : step - 1;
  if (step > 0) pending_.push({time({lane, step - 1}), {lane, step - 1}});
}

void BackwardSearch::follow_latest() {
  const Event wait = pending_.top().wait;
  pending_.pop();
  if (reached_[wait.lane].cursor != wait.step) return;
  const auto& lanes = structure_.lanes;
  queue_wait_below(wait.lane, wait.step);
  const int flag = std::get<Wait>(lanes.step(wait)).flag;
  const Event raiser = structure_.flags.raiser(lanes.rank(wait.lane), flag);
  reach(raiser.lane, raiser.step + 1);
}

Answer BackwardSearch::reaches(Event event) {
  while (true) {
    const Reached& reached = reached_[event.lane];
    if (reached.walk == walk_ && event.step < reached.below) return Answer::yes;
    if (pending_.empty() || pending_.top().time < time(event)) return Answer::no;
    if (budget_.exhausted()) return Answer::unknown;
    follow_latest();
  }
}

Answer BackwardSearch::reaches_start(int rank) {
  while (rank_reached_[static_cast<std::size_t>(rank)] != walk_) {
    if (pending_.empty()) return Answer::no;
    if (budget_.exhausted()) return Answer::unknown;
    follow_latest();
  }
  return Answer::yes;
}

}  // namespace conccl::plan
