// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/rig.hpp"

#include <algorithm>
#include <limits>

#include "conccl/core/errors.hpp"

namespace conccl::bench {

namespace {

comm::Options options_with(std::chrono::milliseconds deadline) {
  comm::Options options;
  options.name = "bench";
  options.deadline = deadline;
  return options;
}

}  // namespace

Rig::Rig(backend::Backend& backend, int ranks, std::chrono::milliseconds deadline,
         const std::atomic<bool>* interrupt)
    : ranks_(backend, ranks, options_with(deadline)),
      go_(ranks_.device(0).make_flags(1)),
      times_(ranks_.size()),
      interrupt_(interrupt) {
  if (!backend.capabilities().shared_units) return;
  for (int rank = 0; rank < ranks; ++rank) ended_.push_back(device(rank).make_flags(1));
}

Rig::~Rig() { release(std::numeric_limits<std::uint64_t>::max()); }

void Rig::release(std::uint64_t run) noexcept {
  go_->raise(0, run);
  for (const auto& flags : ended_) flags->raise(0, run);
}

void Rig::register_windows(const std::vector<backend::Memory>& buffers) {
  windows_.push_back(ranks_.register_windows(buffers));
}

void Rig::drop_windows() {
  for (const auto& windows : windows_) {
    for (std::size_t rank = 0; rank < windows.size(); ++rank) {
      if (windows[rank].id >= 0) ranks_.communicator(rank).deregister(windows[rank]);
    }
  }
  windows_.clear();
}

void Rig::require_not_interrupted() const {
  if (interrupt_ != nullptr && interrupt_->load()) throw Interrupted("interrupted");
}

void Rig::enqueue(const Configuration& configuration, const std::vector<RankWork>& work,
                  const std::vector<backend::Task*>& behind) {
  comm::Group group;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const auto& lanes = configuration.lanes[rank];
    times_[rank].assign(lanes.lanes.size(), {});
    ranks_.stream(rank).wait({go_.get(), 0}, runs_);
    ranks_.communicator(rank).run(
        {&lanes, configuration.request, configuration.flags, work[rank].send, work[rank].recv,
         work[rank].tasks, times_[rank]},
        ranks_.stream(rank));
  }
  group.end();
  enqueue_behind(behind);
}

void Rig::enqueue_behind(const std::vector<backend::Task*>& behind) {
  for (std::size_t rank = 0; rank < behind.size(); ++rank) {
    auto& stream = ranks_.stream(rank);
    if (!ended_.empty()) {
      stream.signal({ended_[rank].get(), 0}, runs_);
      for (const auto& other : ended_) stream.wait({other.get(), 0}, runs_);
    }
    stream.compute(*behind[rank], {static_cast<int>(rank), 0});
    stream.submit();
  }
}

Nanoseconds Rig::run(const Configuration& configuration, const std::vector<RankWork>& work,
                     const std::vector<backend::Task*>& behind) {
  require_not_interrupted();
  ++runs_;
  Nanoseconds start{};
  try {
    enqueue(configuration, work, behind);
    start = device(0).now();
    go_->raise(0, runs_);
    ranks_.synchronize();
  } catch (...) {
    drain();
    throw;
  }
  Nanoseconds end = start;
  for (const auto& lanes : times_) {
    for (const auto& lane : lanes) end = std::max(end, lane.end);
  }
  return end - start;
}

void Rig::run_tasks(const std::vector<std::vector<backend::Task*>>& tasks_by_rank) {
  require_not_interrupted();
  try {
    for (std::size_t rank = 0; rank < tasks_by_rank.size(); ++rank) {
      auto& stream = ranks_.stream(rank);
      for (auto* task : tasks_by_rank[rank]) stream.compute(*task, {static_cast<int>(rank), 0});
      stream.submit();
    }
    ranks_.synchronize();
  } catch (...) {
    drain();
    throw;
  }
}

void Rig::drain() noexcept {
  release(runs_);
  ranks_.drain();
}

}  // namespace conccl::bench
