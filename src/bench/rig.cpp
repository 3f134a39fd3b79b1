// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/rig.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::bench {

Rig::Rig(backend::Backend& backend, int ranks, std::chrono::milliseconds deadline,
         const std::atomic<bool>* interrupt)
    : devices_(comm::open_devices(backend, ranks)), deadline_(deadline), interrupt_(interrupt) {
  comm::Options options;
  options.name = "bench";
  options.deadline = deadline;
  communicators_ = comm::Communicator::init_all(backend, devices_, options);
  go_ = devices_[0]->make_flags(1);
  for (const auto& device : devices_) {
    if (backend.capabilities().shared_units) ended_.push_back(device->make_flags(1));
    streams_.push_back(device->make_queue({"stream", plan::Engine::compute, {}, {}}));
  }
  times_.resize(devices_.size());
  windows_.resize(devices_.size());
}

Rig::~Rig() { release(std::numeric_limits<std::uint64_t>::max()); }

void Rig::release(std::uint64_t run) noexcept {
  go_->raise(0, run);
  for (const auto& flags : ended_) flags->raise(0, run);
}

void Rig::register_windows(const std::vector<backend::Memory>& buffers) {
  comm::Group group;
  for (std::size_t rank = 0; rank < buffers.size(); ++rank) {
    if (buffers[rank].bytes() == 0) continue;
    windows_[rank].push_back(
        communicators_[rank].register_window(buffers[rank].data(), buffers[rank].bytes()));
  }
  group.end();
}

void Rig::drop_windows() {
  for (std::size_t rank = 0; rank < windows_.size(); ++rank) {
    for (const auto window : windows_[rank]) communicators_[rank].deregister(window);
    windows_[rank].clear();
  }
}

void Rig::require_not_interrupted() const {
  if (interrupt_ != nullptr && interrupt_->load()) throw Interrupted("interrupted");
}

void Rig::enqueue(const Configuration& configuration, const std::vector<RankWork>& work,
                  const std::vector<backend::Task*>& behind) {
  comm::Group group;
  for (int rank = 0; rank < ranks(); ++rank) {
    const auto& lanes = configuration.lanes[index(rank)];
    times_[index(rank)].assign(lanes.lanes.size(), {});
    stream(rank).wait({go_.get(), 0}, runs_);
    const auto& mine = work[index(rank)];
    communicators_[index(rank)].run({&lanes, configuration.request, configuration.flags, mine.send,
                                     mine.recv, mine.tasks, times_[index(rank)]},
                                    stream(rank));
  }
  group.end();
  enqueue_behind(behind);
}

void Rig::enqueue_behind(const std::vector<backend::Task*>& behind) {
  for (std::size_t rank = 0; rank < behind.size(); ++rank) {
    if (!ended_.empty()) {
      streams_[rank]->signal({ended_[rank].get(), 0}, runs_);
      for (const auto& other : ended_) streams_[rank]->wait({other.get(), 0}, runs_);
    }
    streams_[rank]->compute(*behind[rank], {static_cast<int>(rank), 0});
    streams_[rank]->submit();
  }
}

Nanoseconds Rig::run(const Configuration& configuration, const std::vector<RankWork>& work,
                     const std::vector<backend::Task*>& behind) {
  require_not_interrupted();
  ++runs_;
  Nanoseconds start{};
  try {
    enqueue(configuration, work, behind);
    start = devices_[0]->now();
    go_->raise(0, runs_);
    synchronize();
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
      for (auto* task : tasks_by_rank[rank]) {
        streams_[rank]->compute(*task, {static_cast<int>(rank), 0});
      }
      streams_[rank]->submit();
    }
    synchronize();
  } catch (...) {
    drain();
    throw;
  }
}

void Rig::drain() noexcept {
  communicators_[0].abort();
  release(runs_);
  for (const auto& stream : streams_) {
    try {
      static_cast<void>(stream->synchronize(deadline_));
    } catch (const std::exception& error) {
      log(LogLevel::debug, error.what());  // the first error is on its way up already
    }
  }
}

void Rig::synchronize() {
  for (int rank = 0; rank < ranks(); ++rank) {
    const bool done = stream(rank).synchronize(deadline_);
    if (const auto reason = communicators_[index(rank)].async_error()) throw RunError(*reason);
    if (!done) {
      throw RunError(fmt::format("rank {}: not done after {} ms", rank, deadline_.count()));
    }
  }
}

}  // namespace conccl::bench
