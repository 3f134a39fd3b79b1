// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "stubborn.hpp"

#include <algorithm>

namespace conccl::plan::oracle {
namespace {

using Kind = Event::Kind;

/// Grows a stubborn set from one event.
class Closure {
 public:
  Closure(const Machine& machine, const State& state)
      : machine_(machine), program_(machine.program()), state_(state) {}

  [[nodiscard]] std::vector<Event> from(const Event& seed) {
    add(seed);
    for (std::size_t i = 0; i < set_.size(); ++i) {
      const Event event = set_[i];
      if (machine_.enabled(state_, event)) {
        enabled_.push_back(event);
        add_dependent(event);
      } else {
        add_needed_by(event);
      }
    }
    return enabled_;
  }

 private:
  void add(const Event& event) {
    if (std::find(set_.begin(), set_.end(), event) == set_.end()) set_.push_back(event);
  }

  /// The first event to come of a rank, through which all its later starts and ends must pass.
  void add_next_of_rank(std::size_t rank) {
    if (machine_.running(state_, rank)) {
      add({Kind::end, rank});
    } else if (machine_.has_more_runs(state_, rank)) {
      add({Kind::start, rank});
    }
  }

  /// The first event to come of an action, or one that must precede it; nothing when none will
  /// come.
  void add_next_of_action(std::size_t index) {
    const Action& action = program_.actions[index];
    const auto rank = static_cast<std::size_t>(action.rank);
    const bool over = state_.phases[index] == Phase::done;
    if (!machine_.running(state_, rank)) {
      add_next_of_rank(rank);
    } else if (over && machine_.has_more_runs(state_, rank)) {
      add({Kind::end, rank});
    } else if (!over) {
      const bool begins = action.is_copy && state_.phases[index] == Phase::pending;
      add({begins ? Kind::begin : Kind::finish, index});
    }
  }

  void add_dependent(const Event& event) {
    if (event.kind == Kind::start || event.kind == Kind::end) {
      for (const std::size_t copy : program_.touching[event.index]) add_next_of_action(copy);
      return;
    }
    const Action& action = program_.actions[event.index];
    for (const std::size_t copy : action.conflicts) add_next_of_action(copy);
    for (const int rank : action.touches) add_next_of_rank(static_cast<std::size_t>(rank));
  }

  void add_needed_by(const Event& event) {
    if (event.kind == Kind::end) {
      for (const Span& lane : program_.lanes[event.index]) {
        const std::size_t front = machine_.front(state_, lane);
        if (front < lane.end) return add_next_of_action(front);
      }
      return;
    }
    const Action& action = program_.actions[event.index];
    const std::size_t front = machine_.front(state_, {action.lane_begin, action.after});
    if (front < action.after) return add_next_of_action(front);
    // Only a wait can be held up at the front of its lane: whatever may raise its flag is needed.
    for (const std::size_t raiser : program_.raisers[action.awaits]) add_next_of_action(raiser);
  }

  const Machine& machine_;
  const Program& program_;
  const State& state_;
  std::vector<Event> set_;
  std::vector<Event> enabled_;
};

}  // namespace

std::vector<Event> must_try(const Machine& machine, const State& state,
                            const std::vector<Event>& enabled) {
  std::vector<Event> best = enabled;
  for (const Event& seed : enabled) {
    auto closure = Closure(machine, state).from(seed);
    if (closure.size() < best.size()) best = std::move(closure);
    if (best.size() == 1) break;
  }
  return best;
}

}  // namespace conccl::plan::oracle
