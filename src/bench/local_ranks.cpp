// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/local_ranks.hpp"

#include <fmt/format.h>

#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::bench {

LocalRanks::LocalRanks(backend::Backend& backend, int ranks, const comm::Options& options)
    : deadline_(options.deadline),
      devices_(comm::open_devices(backend, ranks)),
      communicators_(comm::Communicator::init_all(backend, devices_, options)) {
  for (const auto& device : devices_) {
    streams_.push_back(device->make_queue({"stream", plan::Engine::compute, {}, {}}));
  }
}

std::vector<comm::Window> LocalRanks::register_windows(
    const std::vector<backend::Memory>& buffers) {
  std::vector<comm::Window> windows(buffers.size());
  comm::Group group;
  for (std::size_t rank = 0; rank < buffers.size(); ++rank) {
    if (buffers[rank].bytes() == 0) continue;
    windows[rank] =
        communicators_[rank].register_window(buffers[rank].data(), buffers[rank].bytes());
  }
  group.end();
  return windows;
}

void LocalRanks::synchronize() {
  for (std::size_t rank = 0; rank < size(); ++rank) {
    const bool done = streams_[rank]->synchronize(deadline_);
    if (const auto reason = communicators_[rank].async_error()) throw RunError(*reason);
    if (!done) {
      throw RunError(fmt::format("rank {}: not done after {} ms", rank, deadline_.count()));
    }
  }
}

void LocalRanks::drain() noexcept {
  communicators_[0].abort();
  for (const auto& stream : streams_) {
    try {
      static_cast<void>(stream->synchronize(deadline_));
    } catch (const std::exception& error) {
      log(LogLevel::debug, error.what());  // the first error is on its way up already
    }
  }
}

}  // namespace conccl::bench
