// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/rig.hpp"

#include <algorithm>

#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

constexpr int kGo = 0;
constexpr int kEnded = 1;

}  // namespace

Rig::Rig(Ranks& ranks, const backend::Capabilities& capabilities,
         const std::atomic<bool>* interrupt)
    : ranks_(ranks),
      flags_(ranks.shared_flags(2)),
      shared_units_(capabilities.shared_units),
      common_clock_(capabilities.common_clock),
      times_(ranks.local_count()),
      starts_(ranks.local_count()),
      interrupt_(interrupt) {}

void Rig::register_windows(const std::vector<backend::Memory>& buffers) {
  windows_.push_back(ranks_.register_windows(buffers));
}

void Rig::drop_windows() {
  for (const auto& windows : windows_) {
    for (std::size_t local = 0; local < windows.size(); ++local) {
      if (windows[local].id >= 0) ranks_.communicator(local).deregister(windows[local]);
    }
  }
  windows_.clear();
}

Ranks::Wish Rig::wish() const {
  return interrupt_ != nullptr && interrupt_->load() ? Ranks::Wish::stop : Ranks::Wish::go_on;
}

void Rig::enqueue(const Configuration& configuration, const std::vector<RankWork>& work,
                  const std::vector<backend::Task*>& behind) {
  comm::Group group;
  for (std::size_t local = 0; local < ranks_.local_count(); ++local) {
    const auto& lanes = configuration.lanes[static_cast<std::size_t>(ranks_.rank_of(local))];
    times_[local].assign(lanes.lanes.size(), {});
    ranks_.stream(local).wait({flags_[0], kGo}, runs_);
    if (!common_clock_) ranks_.stream(local).timestamp(starts_[local]);
    ranks_.communicator(local).run(
        {&lanes, configuration.request, configuration.flags, work[local].send, work[local].recv,
         work[local].tasks, times_[local]},
        ranks_.stream(local));
  }
  group.end();
  enqueue_behind(behind);
}

void Rig::enqueue_behind(const std::vector<backend::Task*>& behind) {
  for (std::size_t local = 0; local < behind.size(); ++local) {
    const int rank = ranks_.rank_of(local);
    auto& stream = ranks_.stream(local);
    if (shared_units_) {
      stream.signal({flags_[static_cast<std::size_t>(rank)], kEnded}, runs_);
      for (auto* other : flags_) stream.wait({other, kEnded}, runs_);
    }
    stream.compute(*behind[local], {rank, 0});
    stream.submit();
  }
}

std::vector<Rig::Span> Rig::run_local(const Configuration& configuration,
                                      const std::vector<RankWork>& work,
                                      const std::vector<backend::Task*>& behind) {
  enqueue(configuration, work, behind);
  agreed_ = ranks_.meet(wish());
  const Nanoseconds start = common_clock_ ? ranks_.device(0).now() : Nanoseconds{};
  if (ranks_.leads()) flags_[0]->raise(kGo, runs_);
  ranks_.synchronize();
  std::vector<Span> spans(ranks_.local_count());
  for (std::size_t local = 0; local < spans.size(); ++local) {
    const Nanoseconds started = common_clock_ ? start : starts_[local];
    // This thread may have looked at the clock late: when everything had ended, even.
    spans[local] = {started, times_[local].empty() ? started : Nanoseconds::min()};
    for (const auto& lane : times_[local]) spans[local].end = std::max(spans[local].end, lane.end);
  }
  return ranks_.gather(spans);
}

Nanoseconds Rig::run(const Configuration& configuration, const std::vector<RankWork>& work,
                     const std::vector<backend::Task*>& behind) {
  ++runs_;
  std::vector<Span> spans;
  try {
    spans = run_local(configuration, work, behind);
  } catch (const std::exception& error) {
    drain(error);
    throw;
  }
  // Not before the run is over: an interrupted communicator is a healthy one.
  if (agreed_ == Ranks::Wish::stop) throw Interrupted("interrupted");
  Nanoseconds slowest{};
  released_.clear();
  lane_counts_.clear();
  for (const Span& span : spans) {
    // On one clock, all started when rank 0 let them go.
    released_.push_back((common_clock_ ? spans[0] : span).start);
    slowest = std::max(slowest, span.end - released_.back());
  }
  for (const auto& rank : configuration.lanes) lane_counts_.push_back(rank.lanes.size());
  return slowest;
}

std::vector<std::vector<backend::LaneTimes>> Rig::lane_times() {
  std::vector<std::vector<backend::LaneTimes>> times(lane_counts_.size());
  const std::size_t most = *std::max_element(lane_counts_.begin(), lane_counts_.end());
  for (std::size_t lane = 0; lane < most; ++lane) {
    std::vector<backend::LaneTimes> local;
    for (const auto& of_rank : times_) {
      local.push_back(lane < of_rank.size() ? of_rank[lane] : backend::LaneTimes{});
    }
    const auto all = ranks_.gather(local);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      if (lane >= lane_counts_[rank]) continue;
      times[rank].push_back({all[rank].start - released_[rank], all[rank].end - released_[rank]});
    }
  }
  return times;
}

void Rig::run_tasks(const std::vector<std::vector<backend::Task*>>& tasks_by_rank) {
  try {
    for (std::size_t local = 0; local < tasks_by_rank.size(); ++local) {
      auto& stream = ranks_.stream(local);
      for (auto* task : tasks_by_rank[local]) stream.compute(*task, {ranks_.rank_of(local), 0});
      stream.submit();
    }
    ranks_.synchronize();
  } catch (const std::exception& error) {
    drain(error);
    throw;
  }
}

void Rig::drain(const std::exception& error) noexcept {
  ranks_.abort(error.what());
  for (auto* block : flags_) block->poison();
  ranks_.drain(error.what());
}

}  // namespace conccl::bench
