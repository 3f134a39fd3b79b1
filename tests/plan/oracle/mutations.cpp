// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/plan/oracle/mutations.hpp"

#include <algorithm>
#include <utility>

namespace conccl::plan::oracle {
namespace {

/// Where a step stands.
struct Place {
  std::size_t rank = 0;
  std::size_t lane = 0;
  std::size_t step = 0;

  [[nodiscard]] std::string text() const {
    return "rank " + std::to_string(rank) + " lane " + std::to_string(lane) + " step " +
           std::to_string(step);
  }
};

std::vector<Step>& steps_at(Plan& plan, const Place& place) {
  return plan.ranks[place.rank].lanes[place.lane].steps;
}

auto nth(std::vector<Step>& steps, std::size_t index) {
  return steps.begin() + static_cast<std::ptrdiff_t>(index);
}

void move_before(std::vector<Step>& steps, std::size_t from, std::size_t to) {
  std::rotate(nth(steps, to), nth(steps, from), nth(steps, from) + 1);
}

void redirect_waits(Plan& plan, std::size_t rank, int from, int to) {
  for (Lane& lane : plan.ranks[rank].lanes) {
    for (Step& step : lane.steps) {
      if (auto* wait = std::get_if<Wait>(&step); wait && wait->flag == from) wait->flag = to;
    }
  }
}

class Generator {
 public:
  explicit Generator(const Plan& plan) : plan_(plan) {}

  [[nodiscard]] std::vector<Mutation> run() {
    for (std::size_t rank = 0; rank < plan_.ranks.size(); ++rank) {
      for (std::size_t lane = 0; lane < plan_.ranks[rank].lanes.size(); ++lane) {
        const auto& steps = plan_.ranks[rank].lanes[lane].steps;
        for (std::size_t step = 0; step < steps.size(); ++step) {
          const Place place{rank, lane, step};
          drop_and_duplicate(place, steps);
          std::visit([&](const auto& what) { change(place, what); }, steps[step]);
          reorder(place, steps);
          if (std::holds_alternative<Signal>(steps[step])) signal_early(place, steps);
        }
      }
    }
    share_flags();
    return std::move(mutations_);
  }

 private:
  void add(MutationKind kind, const Place& place, const std::string& how,
           std::function<void(Plan&)> apply) {
    mutations_.push_back({kind, place.text() + ": " + how, std::move(apply)});
  }

  void replace(MutationKind kind, const Place& place, const Step& step) {
    const auto rank = static_cast<int>(place.rank);
    add(kind, place, "becomes " + to_string(plan_, rank, step),
        [place, step](Plan& plan) { steps_at(plan, place)[place.step] = step; });
  }

  void drop_and_duplicate(const Place& place, const std::vector<Step>& steps) {
    add(MutationKind::drop, place, "dropped", [place](Plan& plan) {
      auto& list = steps_at(plan, place);
      list.erase(nth(list, place.step));
    });
    const auto duplicate = [&](std::size_t before) {
      add(MutationKind::duplicate, place, "again before step " + std::to_string(before),
          [place, before](Plan& plan) {
            auto& list = steps_at(plan, place);
            const Step step = list[place.step];
            list.insert(nth(list, before), step);
          });
    };
    duplicate(place.step + 1);
    if (place.step + 1 < steps.size()) duplicate(steps.size());
  }

  template <typename Number>
  void retarget(const Place& place, const Step& step, Number& field, int count) {
    for (int value = 0; value < count; ++value) {
      const Number old = std::exchange(field, static_cast<Number>(value));
      if (field != old) replace(MutationKind::retarget, place, step);
      field = old;
    }
  }

  void shift(const Place& place, const Step& step, Bytes& field) {
    // Below zero wraps, as it would in a builder.
    for (const Bytes by : {Bytes{1}, ~Bytes{0}}) {
      field += by;
      replace(MutationKind::shift, place, step);
      field -= by;
    }
  }

  void change(const Place& place, const Copy&) {
    Step step = step_at(place);
    auto& copy = std::get<Copy>(step);
    for (Ref* ref : {&copy.src, &copy.dst}) {
      retarget(place, step, ref->rank, plan_.request.ranks);
      retarget(place, step, ref->buffer, 3);
      shift(place, step, ref->offset);
    }
    shift(place, step, copy.bytes);
  }
  void change(const Place& place, const Signal&) {
    Step step = step_at(place);
    retarget(place, step, std::get<Signal>(step).rank, plan_.request.ranks);
    retarget(place, step, std::get<Signal>(step).flag, plan_.flags);
  }
  void change(const Place& place, const Wait&) {
    Step step = step_at(place);
    retarget(place, step, std::get<Wait>(step).flag, plan_.flags);
  }
  void change(const Place&, const Compute&) {}

  void reorder(const Place& place, const std::vector<Step>& steps) {
    for (std::size_t other = place.step + 1; other < steps.size(); ++other) {
      add(MutationKind::reorder, place, "swapped with step " + std::to_string(other),
          [place, other](Plan& plan) {
            auto& list = steps_at(plan, place);
            std::swap(list[place.step], list[other]);
          });
    }
  }

  void signal_early(const Place& place, const std::vector<Step>& steps) {
    for (std::size_t to = 0; to < place.step; ++to) {
      if (!std::holds_alternative<Copy>(steps[to])) continue;
      add(MutationKind::early_signal, place, "moved before step " + std::to_string(to),
          [place, to](Plan& plan) { move_before(steps_at(plan, place), place.step, to); });
    }
  }

  void share_flags() {
    const auto signals = all_signals();
    for (const auto& [place, mine] : signals) {
      for (const auto& [other, theirs] : signals) {
        if (mine.rank != theirs.rank || mine.flag == theirs.flag) continue;
        add(MutationKind::share_flag, place, "raises the flag of " + other.text(),
            [place, old = mine, flag = theirs.flag](Plan& plan) {
              steps_at(plan, place)[place.step] = Signal{old.rank, flag};
              redirect_waits(plan, static_cast<std::size_t>(old.rank), old.flag, flag);
            });
      }
    }
  }

  [[nodiscard]] std::vector<std::pair<Place, Signal>> all_signals() const {
    std::vector<std::pair<Place, Signal>> signals;
    for (std::size_t rank = 0; rank < plan_.ranks.size(); ++rank) {
      const auto& lanes = plan_.ranks[rank].lanes;
      for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        for (std::size_t step = 0; step < lanes[lane].steps.size(); ++step) {
          const auto* signal = std::get_if<Signal>(&lanes[lane].steps[step]);
          if (signal) signals.push_back({{rank, lane, step}, *signal});
        }
      }
    }
    return signals;
  }

  [[nodiscard]] const Step& step_at(const Place& place) const {
    return plan_.ranks[place.rank].lanes[place.lane].steps[place.step];
  }

  const Plan& plan_;
  std::vector<Mutation> mutations_;
};

}  // namespace

std::string_view name_of(MutationKind kind) {
  switch (kind) {
    case MutationKind::drop:
      return "drop";
    case MutationKind::duplicate:
      return "duplicate";
    case MutationKind::retarget:
      return "retarget";
    case MutationKind::shift:
      return "shift";
    case MutationKind::reorder:
      return "reorder";
    case MutationKind::early_signal:
      return "signal before copy";
    case MutationKind::share_flag:
      return "share a flag";
  }
  return "unknown";
}

std::vector<Mutation> mutations_of(const Plan& plan) { return Generator(plan).run(); }

Plan mutated(Plan plan, const Mutation& mutation) {
  mutation.apply(plan);
  return plan;
}

}  // namespace conccl::plan::oracle
