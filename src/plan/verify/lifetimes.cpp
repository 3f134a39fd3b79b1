// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/verify/lifetimes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace conccl::plan {
namespace {

class LifetimeChecker {
 public:
  LifetimeChecker(const Structure& structure, Order& order, VerifyCost& cost, Report& report)
      : lanes_(structure.lanes),
        flags_(structure.flags),
        order_(order),
        cost_(cost),
        report_(report),
        known_in_(structure.use.size() / kBufferKinds, kNone) {}

  void run() {
    for (std::uint32_t lane = 0; lane < lanes_.size() && !report_.full(); ++lane) {
      check_starts(lane);
    }
    std::fill(known_in_.begin(), known_in_.end(), kNone);
    for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) check_ends(lane);
    check_open_ends();
  }

 private:
  struct OpenEnd {
    Event event;
    Range range;
  };

  /// Forward: a rank has started once the lane has waited for any signal of it.
  void check_starts(std::uint32_t lane) {
    const int own = lanes_.rank(lane);
    const auto& steps = lanes_.steps(lane);
    for (std::uint32_t step = 0; step < steps.size(); ++step) {
      if (const auto* wait = std::get_if<Wait>(&steps[step])) {
        know(lanes_.rank(flags_.raiser(own, wait->flag).lane), lane);
      } else if (const auto* copy = std::get_if<Copy>(&steps[step])) {
        const auto after_start = [&](const Range& range) { check_start({lane, step}, range); };
        for_each_access(*copy, lane, after_start);
      }
    }
  }

  /// Backward: a rank ends only after any signal that it waits for.
  void check_ends(std::uint32_t lane) {
    const auto& steps = lanes_.steps(lane);
    for (auto step = static_cast<std::uint32_t>(steps.size()); step-- > 0;) {
      if (const auto* signal = std::get_if<Signal>(&steps[step])) {
        if (flags_.waited(signal->rank, signal->flag)) know(signal->rank, lane);
      } else if (const auto* copy = std::get_if<Copy>(&steps[step])) {
        const auto before_end = [&](const Range& range) {
          open_ends_.push_back({{lane, step}, range});
        };
        for_each_access(*copy, lane, before_end);
      }
    }
  }

  /// Calls `unknown(range)` for accesses at ranks that this lane knows nothing of.
  template <typename Unknown>
  void for_each_access(const Copy& copy, std::uint32_t lane, Unknown unknown) {
    if (copy.bytes == 0) return;
    for (const auto* ref : {&copy.src, &copy.dst}) {
      ++cost_.conflicting_pairs;
      if (ref->rank == lanes_.rank(lane) ||
          known_in_[static_cast<std::size_t>(ref->rank)] == lane) {
        ++cost_.local_answers;
      } else {
        unknown(range_of(*ref, copy.bytes));
      }
    }
  }

  void check_start(Event event, const Range& range) {
    if (report_.full()) return;
    complain_unless(order_.start_before(range.rank, event), {event, range}, "after the start");
  }

  void check_open_ends() {
    // By rank, so that all questions about one rank's end share one search.
    std::stable_sort(open_ends_.begin(), open_ends_.end(), [](const OpenEnd& a, const OpenEnd& b) {
      return a.range.rank < b.range.rank;
    });
    for (const auto& open : open_ends_) {
      if (report_.full()) return;
      complain_unless(order_.before_end(open.event, open.range.rank), open, "before the end");
    }
  }

  void complain_unless(Answer answer, const OpenEnd& access, const char* expected) {
    if (answer == Answer::yes) return;
    const bool is_open = answer == Answer::unknown;
    report_.add(
        is_open ? Fault::undecided : Fault::race, access.event, access.range,
        fmt::format("touches {}{}; expected flags to order it {} of rank {}", text_of(access.range),
                    is_open ? ", order not found in time" : "", expected, access.range.rank));
  }

  void know(int rank, std::uint32_t lane) { known_in_[static_cast<std::size_t>(rank)] = lane; }

  const LaneTable& lanes_;
  const FlagTable& flags_;
  Order& order_;
  VerifyCost& cost_;
  Report& report_;
  std::vector<std::uint32_t> known_in_;  // by rank: the last lane that knows of its start (end)
  std::vector<OpenEnd> open_ends_;
};

}  // namespace

void check_lifetimes(const Structure& structure, Order& order, VerifyCost& cost, Report& report) {
  LifetimeChecker(structure, order, cost, report).run();
}

}  // namespace conccl::plan
