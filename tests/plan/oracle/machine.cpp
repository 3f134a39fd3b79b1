// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "machine.hpp"

#include <algorithm>
#include <numeric>

#include "conccl/core/errors.hpp"

namespace conccl::plan::oracle {
namespace {

template <typename T>
void append(std::string& key, const std::vector<T>& values) {
  key.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

std::string rank_text(std::size_t rank) { return "rank " + std::to_string(rank); }

}  // namespace

std::string State::key() const {
  std::string key;
  append(key, phases);
  append(key, started);
  append(key, ended);
  append(key, flags);
  append(key, memory);
  return key;
}

Machine::Machine(const Program& program, int runs) : program_(program), runs_(runs) {
  ensure(program.bytes * static_cast<std::size_t>(runs + 1) <= std::numeric_limits<Label>::max(),
         "the oracle has too few labels for a plan of this size");
}

State Machine::initial() const {
  const auto ranks = static_cast<std::size_t>(program_.ranks());
  State state;
  state.phases.assign(program_.actions.size(), Phase::pending);
  state.started.assign(ranks, 0);
  state.ended.assign(ranks, 0);
  state.flags.assign(program_.raisers.size(), 0);
  state.memory.resize(program_.bytes);
  std::iota(state.memory.begin(), state.memory.end(), Label{0});
  return state;
}

bool Machine::finished(const State& state) const {
  return std::all_of(state.ended.begin(), state.ended.end(),
                     [this](std::uint8_t ended) { return ended == runs_; });
}

std::size_t Machine::front(const State& state, const Span& lane) const {
  std::size_t action = lane.begin;
  while (action < lane.end && state.phases[action] == Phase::done) ++action;
  return action;
}

bool Machine::enabled(const State& state, const Event& event) const {
  using Kind = Event::Kind;
  const std::size_t index = event.index;
  if (event.kind == Kind::start) return !running(state, index) && has_more_runs(state, index);
  if (event.kind == Kind::end) {
    const auto& lanes = program_.lanes[index];
    return running(state, index) && std::all_of(lanes.begin(), lanes.end(), [&](const Span& lane) {
             return front(state, lane) == lane.end;
           });
  }
  const Action& action = program_.actions[index];
  if (event.kind == Kind::finish && action.is_copy) return state.phases[index] == Phase::in_flight;
  const auto rank = static_cast<std::size_t>(action.rank);
  return running(state, rank) && state.phases[index] == Phase::pending &&
         front(state, {action.lane_begin, action.after}) == action.after &&
         (action.awaits == kNone || state.flags[action.awaits] >= state.started[rank]);
}

void Machine::add_lane_events(const State& state, const Span& lane,
                              std::vector<Event>& events) const {
  for (std::size_t i = front(state, lane); i < lane.end; ++i) {
    const bool begins = program_.actions[i].is_copy && state.phases[i] == Phase::pending;
    const Event next{begins ? Event::Kind::begin : Event::Kind::finish, i};
    if (enabled(state, next)) events.push_back(next);
    if (!program_.actions[i].is_copy) return;
  }
}

std::vector<Event> Machine::enabled_events(const State& state) const {
  std::vector<Event> events;
  for (std::size_t rank = 0; rank < program_.lanes.size(); ++rank) {
    for (const auto kind : {Event::Kind::start, Event::Kind::end}) {
      if (enabled(state, {kind, rank})) events.push_back({kind, rank});
    }
    if (!running(state, rank)) continue;
    for (const Span& lane : program_.lanes[rank]) add_lane_events(state, lane, events);
  }
  return events;
}

std::string Machine::fire(State& state, const Event& event) const {
  switch (event.kind) {
    case Event::Kind::start:
      return start(state, event.index);
    case Event::Kind::end:
      return end(state, event.index);
    case Event::Kind::begin:
      return begin(state, event.index);
    case Event::Kind::finish:
      return finish(state, event.index);
  }
  return "no such event";
}

std::string Machine::in_flight_at(const State& state, std::size_t rank) const {
  for (const std::size_t copy : program_.touching[rank]) {
    if (state.phases[copy] == Phase::in_flight) return program_.actions[copy].text;
  }
  return {};
}

std::string Machine::start(State& state, std::size_t rank) const {
  if (const auto copy = in_flight_at(state, rank); !copy.empty()) {
    return rank_text(rank) + " starts while in flight: " + copy;
  }
  ++state.started[rank];
  for (const Span& lane : program_.lanes[rank]) {
    for (std::size_t i = lane.begin; i < lane.end; ++i) state.phases[i] = Phase::pending;
  }
  const Span& own = program_.buffers[rank];
  for (std::size_t at = own.begin; at < own.end; ++at) {
    state.memory[at] = static_cast<Label>(state.started[rank] * program_.bytes + at);
  }
  return {};
}

std::string Machine::end(State& state, std::size_t rank) const {
  if (const auto copy = in_flight_at(state, rank); !copy.empty()) {
    return rank_text(rank) + " ends while in flight: " + copy;
  }
  for (const Expected& byte : program_.expected[rank]) {
    if (state.memory[byte.at] != state.started[rank] * program_.bytes + byte.origin) {
      return rank_text(rank) + " ends with a wrong byte " +
             std::to_string(byte.at - program_.buffers[rank].begin) + " of its buffers";
    }
  }
  ++state.ended[rank];
  return {};
}

std::string Machine::begin(State& state, std::size_t index) const {
  const Action& copy = program_.actions[index];
  const auto run = state.started[static_cast<std::size_t>(copy.rank)];
  for (const int touched : copy.touches) {
    const auto rank = static_cast<std::size_t>(touched);
    if (!running(state, rank) || state.started[rank] != run) {
      return copy.text + ": outside the run of " + rank_text(rank);
    }
  }
  if (overlap(copy.read, copy.write)) return copy.text + ": reads what it writes";
  for (const std::size_t other : copy.conflicts) {
    if (state.phases[other] == Phase::in_flight) {
      return copy.text + ": torn by " + program_.actions[other].text;
    }
  }
  state.phases[index] = Phase::in_flight;
  return {};
}

std::string Machine::finish(State& state, std::size_t index) const {
  const Action& action = program_.actions[index];
  for (std::size_t i = 0; i < action.read.size(); ++i) {
    state.memory[action.write.begin + i] = state.memory[action.read.begin + i];
  }
  state.phases[index] = Phase::done;
  if (action.raises == kNone) return {};
  const auto run = state.started[static_cast<std::size_t>(action.rank)];
  if (state.flags[action.raises] >= run) return action.text + ": was raised before in this run";
  state.flags[action.raises] = run;
  return {};
}

}  // namespace conccl::plan::oracle
