// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "interpreter.hpp"

#include <map>
#include <random>
#include <unordered_set>
#include <vector>

#include "machine.hpp"
#include "stubborn.hpp"

namespace conccl::plan::oracle {
namespace {

constexpr int kRuns = 2;

/// Depth first over the interleavings; stops at the first thing wrong. States at which paths part
/// are remembered, and a state that was reached before is not explored again.
class Search {
 public:
  Search(const Machine& machine, const ExploreOptions& options)
      : machine_(machine), options_(options) {}

  [[nodiscard]] Outcome run() {
    visit(machine_.initial());
    return outcome_;
  }

 private:
  [[nodiscard]] std::vector<Event> choices(const State& state) const {
    auto events = machine_.enabled_events(state);
    if (events.size() < 2 || options_.reduction == Reduction::none) return events;
    return must_try(machine_, state, events);
  }

  void visit(State state) {
    auto events = choices(state);
    while (events.size() == 1) {
      if (!step(state, events.front())) return;
      events = choices(state);
    }
    if (events.empty()) {
      if (!machine_.finished(state)) outcome_ = {Meaning::wrong, "deadlock", outcome_.events};
      return;
    }
    if (!seen_.insert(state.key()).second) return;
    for (const Event& event : events) {
      State next = state;
      if (step(next, event)) visit(std::move(next));
      if (outcome_.meaning != Meaning::right) return;
    }
  }

  /// False: the search is over.
  [[nodiscard]] bool step(State& state, const Event& event) {
    if (++outcome_.events > options_.max_events) {
      outcome_.meaning = Meaning::undecided;
      outcome_.why = "more than " + std::to_string(options_.max_events) + " events";
      return false;
    }
    outcome_.why = machine_.fire(state, event);
    if (outcome_.why.empty()) return true;
    outcome_.meaning = Meaning::wrong;
    return false;
  }

  const Machine& machine_;
  const ExploreOptions& options_;
  std::unordered_set<std::string> seen_;
  Outcome outcome_;
};

/// A walk gives priorities and always lets the highest enabled event happen, so that some are held
/// back for as long as anything else can happen: where a missing wait shows. Half of the walks give
/// one to every event (every interleaving has priorities that bring it up), half one to every rank.
class Walk {
 public:
  Walk(const Machine& machine, std::uint64_t seed)
      : machine_(machine), random_(seed), by_rank_(seed % 2 == 0) {}

  [[nodiscard]] Outcome run() {
    Outcome outcome;
    State state = machine_.initial();
    for (auto events = machine_.enabled_events(state); !events.empty();
         events = machine_.enabled_events(state)) {
      ++outcome.events;
      const Event event = highest(events);
      // The same event of the next run draws again.
      if (!by_rank_) priorities_.erase(event);
      outcome.why = machine_.fire(state, event);
      if (!outcome.why.empty()) break;
    }
    if (outcome.why.empty() && !machine_.finished(state)) outcome.why = "deadlock";
    if (!outcome.why.empty()) outcome.meaning = Meaning::wrong;
    return outcome;
  }

 private:
  [[nodiscard]] std::uint64_t priority(const Event& event) {
    const bool of_rank = event.kind == Event::Kind::start || event.kind == Event::Kind::end;
    Event key = event;
    if (by_rank_ && !of_rank) {
      key.index = static_cast<std::size_t>(machine_.program().actions[event.index].rank);
    }
    if (by_rank_) key.kind = Event::Kind::start;
    const auto [entry, is_new] = priorities_.try_emplace(key, 0);
    if (is_new) entry->second = random_();
    return entry->second;
  }

  [[nodiscard]] Event highest(const std::vector<Event>& events) {
    Event best = events.front();
    for (const Event& event : events) {
      if (priority(event) > priority(best)) best = event;
    }
    return best;
  }

  const Machine& machine_;
  std::mt19937_64 random_;
  bool by_rank_;
  std::map<Event, std::uint64_t> priorities_;
};

}  // namespace

Outcome explore(const Plan& plan, const ExploreOptions& options) {
  const Program program = lay_out(plan);
  if (!program.malformed.empty()) return {Meaning::wrong, program.malformed};
  const Machine machine(program, options.runs);
  return Search(machine, options).run();
}

Outcome sample(const Plan& plan, int walks, std::uint64_t seed) {
  const Program program = lay_out(plan);
  if (!program.malformed.empty()) return {Meaning::wrong, program.malformed};
  const Machine machine(program, kRuns);
  Outcome total;
  for (int walk = 0; walk < walks; ++walk) {
    const Outcome outcome = Walk(machine, seed + static_cast<std::uint64_t>(walk)).run();
    total.events += outcome.events;
    if (outcome.meaning == Meaning::wrong) return {outcome.meaning, outcome.why, total.events};
  }
  return total;
}

}  // namespace conccl::plan::oracle
