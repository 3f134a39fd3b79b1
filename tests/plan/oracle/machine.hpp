// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What a plan does, one event at a time. A rank's run is: start, the events of its lanes, end;
/// then its next run, whatever the other ranks are doing.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "program.hpp"

namespace conccl::plan::oracle {

/// start, end: of rank `index`; begin, finish: of action `index`. A copy begins and finishes, and
/// is in flight in between; every other step only finishes.
struct Event {
  enum class Kind : std::uint8_t { start, end, begin, finish };
  Kind kind = Kind::start;
  std::size_t index = 0;

  friend auto operator<=>(const Event&, const Event&) = default;
};

enum class Phase : std::uint8_t { pending, in_flight, done };

/// A byte is a label that says which byte of which run it was at the start, so that equal bytes
/// cannot hide a wrong one. What lies in recv and scratch at a start is labelled too, and is
/// expected nowhere: that is the poison.
using Label = std::uint16_t;

struct State {
  std::vector<Phase> phases;          ///< by action, of its rank's present run
  std::vector<std::uint8_t> started;  ///< runs, by rank
  std::vector<std::uint8_t> ended;
  std::vector<std::uint8_t> flags;  ///< highest run they were raised for
  std::vector<Label> memory;

  /// Equal for equal states only.
  [[nodiscard]] std::string key() const;
};

/// Runs a program `runs` times. Holds no state of its own.
class Machine {
 public:
  Machine(const Program& program, int runs);

  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] State initial() const;
  [[nodiscard]] bool finished(const State& state) const;

  [[nodiscard]] bool running(const State& state, std::size_t rank) const {
    return state.started[rank] > state.ended[rank];
  }
  [[nodiscard]] bool has_more_runs(const State& state, std::size_t rank) const {
    return state.started[rank] < runs_;
  }
  /// The first action of `lane` that is not done; `lane.end` when all are.
  [[nodiscard]] std::size_t front(const State& state, const Span& lane) const;

  [[nodiscard]] bool enabled(const State& state, const Event& event) const;
  [[nodiscard]] std::vector<Event> enabled_events(const State& state) const;

  /// Lets an enabled event happen. Returns what is wrong with that; empty: nothing.
  [[nodiscard]] std::string fire(State& state, const Event& event) const;

 private:
  [[nodiscard]] std::string start(State& state, std::size_t rank) const;
  [[nodiscard]] std::string end(State& state, std::size_t rank) const;
  [[nodiscard]] std::string begin(State& state, std::size_t action) const;
  [[nodiscard]] std::string finish(State& state, std::size_t action) const;
  [[nodiscard]] std::string in_flight_at(const State& state, std::size_t rank) const;
  void add_lane_events(const State& state, const Span& lane, std::vector<Event>& events) const;

  const Program& program_;
  int runs_;
};

}  // namespace conccl::plan::oracle
