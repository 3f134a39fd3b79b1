// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/verify/races.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "plan/verify/overlaps.hpp"

namespace conccl::plan {
namespace {

bool overlaps_itself(const Copy& copy) {
  return copy.src.rank == copy.dst.rank && copy.src.buffer == copy.dst.buffer &&
         copy.src.offset < copy.dst.offset + copy.bytes &&
         copy.dst.offset < copy.src.offset + copy.bytes;
}

void check_self_overlaps(const RaceContext& context) {
  for_each_copy(context.structure.lanes, context.schedule, [&](Event event, const Copy& copy) {
    if (!overlaps_itself(copy)) return;
    ++context.cost.conflicting_pairs;
    ++context.cost.local_answers;
    context.report.add(Fault::race, event, range_of(copy.dst, copy.bytes),
                       "source and destination overlap; expected them apart");
  });
}

/// The accesses of every buffer that anything writes, each buffer's in the order of the schedule.
class AccessLists {
 public:
  explicit AccessLists(const RaceContext& context) : use_(context.structure.use) {
    std::size_t count = 0;
    for (const auto& use : use_) {
      ends_.push_back(count);
      if (use.writes > 0) count += std::size_t{use.reads} + use.writes;
    }
    accesses_.resize(count);
    for_each_copy(context.structure.lanes, context.schedule, [&](Event event, const Copy& copy) {
      add(copy.src, {copy.src.offset, copy.bytes, event, Access::Kind::read});
      add(copy.dst, {copy.dst.offset, copy.bytes, event, Access::Kind::write});
    });
  }

  /// Once filled, each buffer's end is the next one's begin.
  [[nodiscard]] std::span<const Access> of(std::size_t buffer) const {
    const auto begin = buffer == 0 ? 0 : ends_[buffer - 1];
    return std::span(accesses_).subspan(begin, ends_[buffer] - begin);
  }

 private:
  void add(const Ref& ref, const Access& access) {
    const auto buffer = buffer_index(ref.rank, ref.buffer);
    if (use_[buffer].writes > 0) accesses_[ends_[buffer]++] = access;
  }

  const std::vector<Structure::Use>& use_;
  std::vector<std::size_t> ends_;
  std::vector<Access> accesses_;
};

class PairChecker {
 public:
  explicit PairChecker(const RaceContext& context) : context_(context) {}

  void check(const Range& range, Event earlier, Event later) {
    const std::pair events{earlier, later};
    const bool is_one = earlier == later;  // complained of already
    if (context_.report.full() || is_one || events == last_) return;
    last_ = events;
    ++context_.cost.conflicting_pairs;
    const Answer answer = context_.order.before(earlier, later);
    if (answer == Answer::yes || is_known(events)) return;
    complained_.push_back(events);
    const bool is_open = answer == Answer::unknown;
    context_.report.add(
        is_open ? Fault::undecided : Fault::race, later, range,
        fmt::format("conflicts at {} with {}{}; expected flags to order them", text_of(range),
                    context_.report.text_of(earlier), is_open ? ", order not found in time" : ""));
  }

 private:
  using Events = std::pair<Event, Event>;

  /// Two copies may meet in many places; one complaint is enough.
  [[nodiscard]] bool is_known(const Events& events) const {
    return std::find(complained_.begin(), complained_.end(), events) != complained_.end();
  }

  const RaceContext& context_;
  Events last_;
  std::vector<Events> complained_;
};

}  // namespace

void check_races(const RaceContext& context) {
  check_self_overlaps(context);
  const AccessLists lists(context);
  PairChecker checker(context);
  OverlapSweep sweep(context.budget);
  for (std::size_t buffer = 0; buffer < context.structure.use.size(); ++buffer) {
    if (context.report.full()) return;
    Range range{static_cast<int>(buffer / kBufferKinds),
                static_cast<BufferKind>(buffer % kBufferKinds)};
    sweep.run(lists.of(buffer), [&](const Access& earlier, const Access& later) {
      range.begin = std::max(earlier.begin, later.begin);
      range.end = std::min(earlier.end(), later.end());
      checker.check(range, earlier.event(), later.event());
    });
    if (context.budget.exhausted() && context.report.empty()) {
      context.report.add(Fault::undecided, range, "too many overlaps to compare in time");
    }
  }
}

}  // namespace conccl::plan
