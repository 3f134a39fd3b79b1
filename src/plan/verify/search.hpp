// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The exact half of order queries: what comes before a given point of a plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

#include "plan/verify/budget.hpp"
#include "plan/verify/schedule.hpp"
#include "plan/verify/structure.hpp"

namespace conccl::plan {

enum class Answer { yes, no, unknown };

/// Walks back from a point over waits to the signals that end them, latest in the schedule first,
/// so that a question about a step needs no look at anything older than the step. The walk is kept
/// until another point is asked about, and goes on where it stopped.
class BackwardSearch {
 public:
  BackwardSearch(const Structure& structure, const Schedule& schedule, Budget& budget);

  /// The point before step `below` of `lane` (after everything earlier in it).
  void start_at(std::uint32_t lane, std::uint32_t below);
  /// The point where all lanes of `rank` have ended.
  void start_at_end(int rank);

  /// Whether `event` comes before the point.
  [[nodiscard]] Answer reaches(Event event);
  /// Whether the start of `rank` comes before the point.
  [[nodiscard]] Answer reaches_start(int rank);

 private:
  struct Point {
    std::uint32_t lane = kNone;
    std::uint32_t below = 0;
    int rank = -1;

    friend bool operator==(const Point&, const Point&) = default;
  };
  /// Steps below `below` come before the point; waits from `cursor` on have been followed. Only
  /// meaningful if `walk` is the current one.
  struct Reached {
    std::size_t walk = 0;
    std::uint32_t below = 0;
    std::uint32_t cursor = kNone;
  };
  struct Pending {
    std::size_t time;
    Event wait;

    friend bool operator<(const Pending& a, const Pending& b) { return a.time < b.time; }
  };

  [[nodiscard]] bool begin(const Point& point);
  void reach(std::uint32_t lane, std::uint32_t below);
  void queue_wait_below(std::uint32_t lane, std::uint32_t step);
  void follow_latest();
  [[nodiscard]] std::size_t time(Event event) const {
    return times_[first_[event.lane] + event.step];
  }

  const Structure& structure_;
  Budget& budget_;
  std::vector<std::size_t> first_;
  std::vector<std::size_t> times_;
  std::vector<Reached> reached_;
  std::vector<std::size_t> rank_reached_;
  std::priority_queue<Pending> pending_;
  std::size_t walk_ = 0;
  Point point_;
};

}  // namespace conccl::plan
