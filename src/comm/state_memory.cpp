// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Windows, what is said on the host alone, and where the peers' memory is.

#include "comm/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "conccl/core/errors.hpp"

namespace conccl::comm {

bool Communicator::State::in_window(const std::byte* address, Bytes bytes) const {
  return std::ranges::any_of(windows_, [&](const RegisteredWindow& window) {
    return !window.bases.empty() && address >= window.own && address < window.own + window.bytes &&
           bytes <= window.bytes - static_cast<Bytes>(address - window.own);
  });
}

Location Communicator::State::locate(std::byte* address, Bytes bytes, std::string_view what) const {
  Location location;
  location.address = address;
  Bytes most = 0;
  for (const auto& window : windows_) {
    if (window.bases.empty() || address < window.own || address >= window.own + window.bytes) {
      continue;
    }
    const auto offset = static_cast<Bytes>(address - window.own);
    most = std::max(most, window.bytes - offset);
    if (window.bytes - offset < bytes) continue;
    check_unchanged(window, what);
    location.window = static_cast<int>(window.number);
    location.offset = offset;
  }
  if (most > 0 && location.window < 0) {
    throw InputError(fmt::format(
        "{} leaves its window: {} bytes lie behind its address, expected {}", what, most, bytes));
  }
  return location;
}

/// The peers have the memory mapped that was there when the window was registered.
void Communicator::State::check_unchanged(const RegisteredWindow& window,
                                          std::string_view what) const {
  if (window.allocation == 0) return;
  if (device_.lies_in(window.own, window.allocation)) return;
  throw InputError(fmt::format(
      "{} lies in a window of {} bytes whose memory was freed since it was registered: deregister "
      "it, and register what is at its address now",
      what, window.bytes));
}

void Communicator::State::announce(Location& location, Bytes bytes) {
  if (session_->peers() == nullptr || location.window >= 0) return;
  const auto allocation = device_.allocation_over(location.address, bytes);
  if (!allocation) return;  // a call of no bytes
  try {
    session_->peers()->announce(*allocation);
  } catch (const RunError& error) {
    session_->fail(fmt::format("rank {}: {}", rank_, error.what()));
    session_->failure().require_none();
  }
  location.allocation = allocation->id;
  location.offset = static_cast<Bytes>(location.address - allocation->base);
}

backend::Memory Communicator::State::peer_memory(const Location& theirs, int peer, Bytes bytes) {
  const auto until = Clock::now() + session_->options().deadline;
  try {
    auto memory = session_->peers()->resolve(peer, theirs.allocation, until);
    if (theirs.offset <= memory.bytes() && bytes <= memory.bytes() - theirs.offset) return memory;
    throw RunError(fmt::format("rank {} named {} bytes at offset {} of {}", peer, bytes,
                               theirs.offset, memory.bytes()));
  } catch (const RunError& error) {
    session_->fail(fmt::format("rank {}: {}", rank_, error.what()));
    session_->failure().require_none();
    throw;
  }
}

const RegisteredWindow* Communicator::State::window_at(const Location& location) const {
  if (location.window < 0) return nullptr;
  const auto number = static_cast<std::uint64_t>(location.window);
  const auto found = std::ranges::find(windows_, number, &RegisteredWindow::number);
  ensure(found != windows_.end(), "a call's window is registered");
  return &*found;
}

std::byte* Communicator::State::peer_address(const RegisteredWindow* window,
                                             const Location& location, int peer, Bytes bytes) {
  if (window != nullptr) return window->bases[static_cast<std::size_t>(peer)] + location.offset;
  if (session_->peers() == nullptr || peer == rank_) return location.address;
  if (location.allocation == 0 || bytes == 0) return nullptr;
  const auto memory = peer_memory(location, peer, bytes);
  borrowed_.push_back(memory.owner());
  return memory.at(location.offset);
}

void Communicator::State::add_window(int id, void* data, Bytes bytes) {
  session_->failure().require_none();
  const auto window = static_cast<std::size_t>(id);
  if (windows_.size() <= window) windows_.resize(window + 1);
  windows_[window] = {bytes_at(data), bytes, 0, 0, {}, {}};
  Post post;
  post.operation = Operation::register_window;
  post.count = bytes;
  post.recv.address = bytes_at(data);
  announce(post.recv, bytes);
  if (const auto allocation = device_.allocation_of(data)) {
    windows_[window].kept.push_back(allocation->memory.lock());
    windows_[window].allocation = allocation->id;
  }
  windows_[window].number = post_host(host_post(post));
}

void Communicator::State::finish_window(int id) {
  const auto index = static_cast<std::size_t>(id);
  const auto posts = session_->await_host(rank_, windows_[index].number);
  std::vector<std::byte*> bases;
  for (int rank = 0; rank < session_->ranks(); ++rank) {
    const auto theirs = post_in(posts[static_cast<std::size_t>(rank)]);
    bases.push_back(peer_address(nullptr, theirs.recv, rank, theirs.count));
  }
  auto& window = windows_[index];
  take_host(window.number);
  window.bases = std::move(bases);
  const auto mapped = std::exchange(borrowed_, {});
  window.kept.insert(window.kept.end(), mapped.begin(), mapped.end());
}

void Communicator::State::require_window(int id) const {
  if (id < 0 || id >= static_cast<int>(windows_.size()) ||
      windows_[static_cast<std::size_t>(id)].bases.empty()) {
    throw InputError(fmt::format("window: {} is not registered", id));
  }
}

std::byte* Communicator::State::base_of(int id, int rank) const {
  require_window(id);
  if (rank < 0 || rank >= session_->ranks()) {
    throw InputError(fmt::format("rank: {} is not in 0 .. {}", rank, session_->ranks() - 1));
  }
  return windows_[static_cast<std::size_t>(id)].bases[static_cast<std::size_t>(rank)];
}

void Communicator::State::drop_window(int id) {
  require_window(id);
  auto& window = windows_[static_cast<std::size_t>(id)];
  window.bases.clear();
  // Calls that are enqueued may still be under way.
  in_use_.push_back({launched_, std::exchange(window.kept, {}), window.number});
  let_go();
}

void Communicator::State::fail_registration(int id, const std::string& why) {
  session_->fail(fmt::format("rank {}: registration of window {}: {}", rank_, id, why));
}

std::uint64_t Communicator::State::post_host(const HostPost& post) {
  session_->failure().require_none();
  session_->post_host(rank_, ++host_calls_, post);
  return host_calls_;
}

void Communicator::State::take_host(std::uint64_t sequence) {
  session_->take_host(rank_, sequence);
  host_taken_ = sequence;
}

std::vector<HostPost> Communicator::State::exchange(const HostPost& post) {
  const auto sequence = post_host(post);
  auto posts = session_->await_host(rank_, sequence);
  take_host(sequence);
  return posts;
}

std::vector<backend::FlagBlock*> Communicator::State::shared_flags(int count) {
  auto* own = session_->keep(device_.make_flags(count));
  Post post;
  post.operation = Operation::shared_flags;
  post.count = static_cast<std::uint64_t>(count);
  post.send.address = reinterpret_cast<std::byte*>(own);
  post.recv.address = bytes_at(own->memory().data());
  announce(post.recv, own->memory().bytes());
  const auto sequence = post_host(host_post(post));
  const auto posts = session_->await_host(rank_, sequence);
  std::vector<backend::FlagBlock*> blocks;
  for (int rank = 0; rank < session_->ranks(); ++rank) {
    const auto theirs = post_in(posts[static_cast<std::size_t>(rank)]);
    if (rank == rank_ || session_->peers() == nullptr) {
      blocks.push_back(reinterpret_cast<backend::FlagBlock*>(theirs.send.address));
    } else {
      auto memory = peer_memory(theirs.recv, rank, 1);
      blocks.push_back(session_->keep(device_.map_flags(std::move(memory), count)));
    }
  }
  take_host(sequence);
  return blocks;
}

}  // namespace conccl::comm
