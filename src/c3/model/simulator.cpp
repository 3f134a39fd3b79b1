// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "c3/model/simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

// Progress this close to its target has reached it: the rest is rounding.
constexpr double kClose = 1e-12;

std::vector<std::size_t> launch_order(const Script& script) {
  std::vector<std::size_t> lanes(script.lanes.size());
  std::iota(lanes.begin(), lanes.end(), std::size_t{0});
  std::stable_sort(lanes.begin(), lanes.end(), [&](std::size_t a, std::size_t b) {
    return script.lanes[a].launch_rank < script.lanes[b].launch_rank;
  });
  return lanes;
}

}  // namespace

Simulator::Simulator(const System& system, const Script& script)
    : system_(system),
      script_(script),
      fair_share_(script.resources),
      times_(script.works.size()),
      op_(script.lanes.size(), 0),
      ready_(launch_order(script)),
      raised_(static_cast<std::size_t>(script.flags), false),
      waiting_(static_cast<std::size_t>(script.flags)) {}

const std::vector<WorkTimes>& Simulator::run() {
  advance_lanes();
  while (!active_.empty()) {
    set_rates();
    progress(next_event());
    finish_done();
    advance_lanes();
  }
  for (std::size_t lane = 0; lane < op_.size(); ++lane) {
    if (op_[lane] < script_.lanes[lane].ops.size()) fail_stuck(lane);
  }
  return times_;
}

void Simulator::advance_lanes() {
  while (!ready_.empty()) {
    // `ready_` grows while flags are raised.
    for (std::size_t i = 0; i < ready_.size(); ++i) advance(ready_[i]);
    ready_.clear();
    finish_done();  // pauses of no time: lanes behind one flag start together
  }
}

void Simulator::advance(std::size_t lane) {
  const auto& ops = script_.lanes[lane].ops;
  while (op_[lane] < ops.size()) {
    const Op& op = ops[op_[lane]];
    if (op.kind == Op::Kind::signal) {
      raise(op.index);
    } else if (op.kind == Op::Kind::work) {
      activate(op.index);
      return;
    } else if (!raised_[static_cast<std::size_t>(op.index)]) {
      waiting_[static_cast<std::size_t>(op.index)].push_back(lane);
      return;
    }
    ++op_[lane];
  }
}

void Simulator::raise(int flag) {
  if (flag == kUnheard) return;
  const auto at = static_cast<std::size_t>(flag);
  raised_[at] = true;
  ready_.insert(ready_.end(), waiting_[at].begin(), waiting_[at].end());
  waiting_[at].clear();
}

bool Simulator::computes(int device) const {
  return std::ranges::any_of(running_, [device](const Running& running) {
    return running.work->device == device && running.work->units_wanted > 0;
  });
}

void Simulator::activate(int work) {
  const Work& launched = script_.works[static_cast<std::size_t>(work)];
  const bool at_once = launched.kind == WorkKind::pause && !computes(launched.device);
  active_.push_back({work, at_once ? 1.0 : 0.0});
  running_.push_back({&launched, 0, launched.latency_ns});
  if (launched.units_wanted > 0) grant_units(launched.device);
}

std::vector<UnitClaim> Simulator::claims_on(std::span<const std::size_t> here) const {
  std::vector<UnitClaim> claims;
  for (const std::size_t i : here) {
    const Work& work = *running_[i].work;
    UnitClaim claim = script_.lanes[static_cast<std::size_t>(work.lane)].claim;
    claim.wanted = work.units_wanted;
    claim.held = running_[i].units;
    // Its last wave has no workgroups left that more units could run.
    const bool last_wave = claim.held > 0 && (1 - active_[i].done) * work.workgroups <= claim.held;
    if (work.workgroups > 0 && last_wave) claim.hold = UnitClaim::Hold::may_shrink;
    claims.push_back(claim);
  }
  return claims;
}

/// Where the wave ends that the task is in.
double Simulator::wave_end(std::size_t active) const {
  const double wave = running_[active].units / running_[active].work->workgroups;
  const double waves = std::floor(active_[active].done / wave + kClose) + 1;
  return std::min(1.0, waves * wave);
}

void Simulator::grant_units(int device) {
  std::vector<std::size_t> here;
  for (std::size_t i = 0; i < running_.size(); ++i) {
    const Work& work = *running_[i].work;
    if (work.device == device && work.units_wanted > 0) here.push_back(i);
  }
  const double late = system_.model().late_share * system_.units();
  auto claims = claims_on(here);
  auto granted = grant(claims, late);
  for (std::size_t c = 0; c < here.size(); ++c) {
    Active& active = active_[here[c]];
    const bool in_waves = running_[here[c]].work->workgroups > 0;
    const bool at_end = active.shrink_at > 0 && active.done >= active.shrink_at - kClose;
    if (!in_waves || !(granted[c] < claims[c].held) || at_end) {
      active.shrink_at = 0;
      continue;
    }
    if (active.shrink_at == 0) active.shrink_at = wave_end(here[c]);
    claims[c].hold = UnitClaim::Hold::keeps;
  }
  granted = grant(claims, late);
  for (std::size_t c = 0; c < here.size(); ++c) running_[here[c]].units = granted[c];
}

void Simulator::set_rates() {
  const auto speeds = speed_limits(system_, running_, script_.devices);
  claimants_.clear();
  for (std::size_t i = 0; i < running_.size(); ++i) {
    claimants_.push_back({speeds[i].limit, running_[i].work->uses, traffic_scale(running_[i])});
    active_[i].latency_rate = speeds[i].latency;
  }
  const auto& rates = fair_share_.rates(claimants_);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    active_[i].rate = rates[i];
    if (active_[i].started || !(rates[i] > 0)) continue;
    active_[i].started = true;
    times_[static_cast<std::size_t>(active_[i].work)].start = now_;
  }
}

double Simulator::target_of(std::size_t active) const {
  return active_[active].shrink_at > 0 ? active_[active].shrink_at : 1;
}

Nanoseconds Simulator::next_event() const {
  double soonest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Running& running = running_[i];
    if (running.latency_ns > 0) {
      const bool resident = running.work->units_wanted == 0 || running.units > 0;
      if (resident) soonest = std::min(soonest, running.latency_ns / active_[i].latency_rate);
    } else if (active_[i].rate > 0) {
      const double left = (target_of(i) - active_[i].done) * running.work->alone_ns;
      soonest = std::min(soonest, left / active_[i].rate);
    }
  }
  if (!(soonest < 0x1p62 - static_cast<double>(now_.count()))) fail_endless();
  return Nanoseconds(std::max<Nanoseconds::rep>(
      1, static_cast<Nanoseconds::rep>(std::ceil(soonest * (1 - kClose)))));
}

void Simulator::progress(Nanoseconds step) {
  const auto passed = static_cast<double>(step.count());
  now_ += step;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    Running& running = running_[i];
    if (running.latency_ns > 0) {
      const bool resident = running.work->units_wanted == 0 || running.units > 0;
      const double left = running.latency_ns - passed * active_[i].latency_rate;
      if (resident) running.latency_ns = left > kClose * running.latency_ns ? left : 0;
      continue;
    }
    active_[i].done += passed * active_[i].rate / running.work->alone_ns;
  }
}

void Simulator::finish_done() {
  std::vector<int> changed;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Work& work = *running_[i].work;
    const bool done = active_[i].done >= 1 - kClose;
    const bool wave_over = active_[i].shrink_at > 0 && active_[i].done >= active_[i].shrink_at;
    if (work.units_wanted > 0 && (done || wave_over)) changed.push_back(work.device);
    if (done) {
      times_[static_cast<std::size_t>(active_[i].work)].end = now_;
      ready_.push_back(static_cast<std::size_t>(work.lane));
      ++op_[static_cast<std::size_t>(work.lane)];
      continue;
    }
    active_[kept] = active_[i];
    running_[kept++] = running_[i];
  }
  active_.resize(kept);
  running_.resize(kept);
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  for (const int device : changed) grant_units(device);
}

void Simulator::fail_endless() const {
  throw InputError(fmt::format(
      "machine \"{}\": a plan would take longer than 146 years; expected figures of a real one",
      system_.machine().name));
}

void Simulator::fail_stuck(std::size_t lane) const {
  throw CheckFailed(fmt::format(
      "the plan never ends: rank {}, lane {} waits for a flag that nothing raises; expected a plan "
      "that the verifier accepts",
      script_.lanes[lane].rank, script_.lanes[lane].lane));
}

}  // namespace conccl::c3
