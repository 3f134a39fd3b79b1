// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::bench {

Ranks::Ranks(backend::Backend& backend, int ranks, const comm::Options& options)
    : size_(ranks),
      deadline_(options.deadline),
      devices_(comm::open_devices(backend, ranks)),
      communicators_(comm::Communicator::init_all(backend, devices_, options)) {
  make_streams();
}

Ranks::Ranks(backend::Backend& backend, const comm::Place& place, const comm::UniqueId& id,
             const comm::Options& options)
    : size_(place.ranks), first_(place.rank), deadline_(options.deadline) {
  devices_.push_back(backend.open_device(place.local_rank));
  communicators_.push_back(
      comm::Communicator::init_rank(backend, *devices_[0], id, {place.rank, place.ranks}, options));
  make_streams();
}

Ranks Ranks::open(backend::Backend& backend, Launch launch, int ranks,
                  const comm::Options& options) {
  if (launch == Launch::threads) return {backend, ranks, options};
  const comm::Place place = comm::place_from_environment();
  if (place.ranks != ranks) {
    throw InputError(fmt::format("ranks: {} asked for, but WORLD_SIZE is {}", ranks, place.ranks));
  }
  comm::MeetingOptions meeting;
  meeting.deadline = options.deadline;
  return {backend, place, comm::unique_id_from_environment(meeting), options};
}

void Ranks::make_streams() {
  for (const auto& device : devices_) {
    streams_.push_back(device->make_queue({"stream", plan::Engine::compute, {}, {}}));
  }
}

std::vector<std::byte> Ranks::exchange(std::span<const std::byte> mine) {
  constexpr std::size_t kPiece = comm::Communicator::kMaxExchange;
  std::vector<std::byte> all(mine.size() * static_cast<std::size_t>(size_));
  for (std::size_t done = 0; done < mine.size(); done += kPiece) {
    const auto piece = mine.subspan(done, std::min(kPiece, mine.size() - done));
    const auto pieces = communicators_[0].exchange(piece);
    for (std::size_t rank = 0; rank < pieces.size(); ++rank) {
      ensure_equal(pieces[rank].size(), piece.size(), "bytes that a rank exchanged");
      std::copy(pieces[rank].begin(), pieces[rank].end(),
                all.begin() + static_cast<std::ptrdiff_t>(rank * mine.size() + done));
    }
  }
  return all;
}

Ranks::Wish Ranks::meet(Wish mine) {
  const auto wishes = gather(std::vector<Wish>(local_count(), mine));
  return *std::max_element(wishes.begin(), wishes.end());
}

std::vector<backend::FlagBlock*> Ranks::shared_flags(int count) {
  if (!all_here()) return communicators_[0].shared_flags(count);
  std::vector<backend::FlagBlock*> blocks;
  for (const auto& device : devices_) {
    flags_.push_back(device->make_flags(count));
    blocks.push_back(flags_.back().get());
  }
  return blocks;
}

std::vector<comm::Window> Ranks::register_windows(const std::vector<backend::Memory>& buffers) {
  std::vector<comm::Window> windows(buffers.size());
  comm::Group group;
  for (std::size_t local = 0; local < buffers.size(); ++local) {
    if (buffers[local].bytes() == 0) continue;
    windows[local] =
        communicators_[local].register_window(buffers[local].data(), buffers[local].bytes());
  }
  group.end();
  return windows;
}

void Ranks::synchronize() {
  for (std::size_t local = 0; local < local_count(); ++local) {
    const bool done = streams_[local]->synchronize(deadline_);
    if (const auto reason = communicators_[local].async_error()) throw RunError(*reason);
    if (!done) {
      throw RunError(
          fmt::format("rank {}: not done after {} ms", rank_of(local), deadline_.count()));
    }
  }
}

void Ranks::run_together(const std::function<void()>& work) {
  try {
    work();
  } catch (const Interrupted&) {
    throw;
  } catch (const CheckFailed&) {
    throw;
  } catch (const std::exception& error) {
    abort(error.what());
    throw;
  }
}

void Ranks::abort(std::string_view why) noexcept {
  try {
    communicators_[0].abort(why);
  } catch (const std::exception& error) {
    log(LogLevel::debug, error.what());
  }
}

void Ranks::drain(std::string_view why) noexcept {
  abort(why);
  for (const auto& stream : streams_) {
    try {
      static_cast<void>(stream->synchronize(deadline_));
    } catch (const std::exception& error) {
      log(LogLevel::debug, error.what());  // the first error is on its way up already
    }
  }
}

}  // namespace conccl::bench
