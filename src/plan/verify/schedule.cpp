// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/verify/schedule.hpp"

#include <fmt/format.h>

#include <queue>

namespace conccl::plan {
namespace {

class Runner {
 public:
  explicit Runner(const Structure& structure)
      : lanes_(structure.lanes),
        flags_(structure.flags),
        next_step_(lanes_.size()),
        next_parked_(lanes_.size(), kNone),
        flag_state_(flags_.slots(), kNone) {}

  Schedule run() {
    for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) ready_.push(lane);
    while (!ready_.empty()) {
      const auto lane = ready_.front();
      ready_.pop();
      advance(lane);
    }
    return std::move(schedule_);
  }

  void complain(Report& report) const {
    for (std::uint32_t lane = 0; lane < lanes_.size() && !report.full(); ++lane) {
      if (next_step_[lane] < lanes_.steps(lane).size()) {
        complain({lane, next_step_[lane]}, report);
      }
    }
  }

 private:
  static constexpr std::uint32_t kRaised = kNone - 1;

  void advance(std::uint32_t lane) {
    const auto& steps = lanes_.steps(lane);
    const auto begin = next_step_[lane];
    auto step = begin;
    for (; step < steps.size(); ++step) {
      if (const auto* wait = std::get_if<Wait>(&steps[step])) {
        if (parks(lane, wait->flag)) break;
      } else if (const auto* signal = std::get_if<Signal>(&steps[step])) {
        raise(flags_.slot(signal->rank, signal->flag));
      }
    }
    next_step_[lane] = step;
    if (step > begin) schedule_.bursts.push_back({lane, begin, step});
  }

  bool parks(std::uint32_t lane, int flag) {
    const auto slot = flags_.slot(lanes_.rank(lane), flag);
    if (slot == FlagTable::kNoSlot) return true;
    if (flag_state_[slot] == kRaised) return false;
    next_parked_[lane] = flag_state_[slot];
    flag_state_[slot] = lane;
    return true;
  }

  void raise(std::size_t slot) {
    for (auto lane = flag_state_[slot]; lane != kNone; lane = next_parked_[lane]) ready_.push(lane);
    flag_state_[slot] = kRaised;
  }

  void complain(Event waiting, Report& report) const {
    const int rank = lanes_.rank(waiting.lane);
    const auto flag = std::get<Wait>(lanes_.step(waiting)).flag;
    const Event raiser = flags_.raiser(rank, flag);
    if (raiser.lane == kNone) {
      report.add(Fault::deadlock, waiting, Range{rank},
                 fmt::format("waits for ever: no step raises flag {} of rank {}", flag, rank));
      return;
    }
    const Event blocker{raiser.lane, next_step_[raiser.lane]};
    report.add(Fault::deadlock, waiting, Range{rank},
               fmt::format("waits for ever: flag {} of rank {} is raised by {}, behind {}", flag,
                           rank, report.text_of(raiser), report.text_of(blocker)));
  }

  const LaneTable& lanes_;
  const FlagTable& flags_;
  std::vector<std::uint32_t> next_step_;
  // Lanes parked on one flag are a list: the flag names the first, each lane the next.
  std::vector<std::uint32_t> next_parked_;
  std::vector<std::uint32_t> flag_state_;
  std::queue<std::uint32_t> ready_;
  Schedule schedule_;
};

}  // namespace

Schedule run_lanes(const Structure& structure, Report& report) {
  Runner runner(structure);
  auto schedule = runner.run();
  runner.complain(report);
  return schedule;
}

}  // namespace conccl::plan
