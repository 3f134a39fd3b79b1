// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/peer_memory.hpp"

#include <fmt/format.h>

#include <thread>

#include "conccl/core/errors.hpp"

namespace conccl::comm {
namespace {

constexpr std::chrono::milliseconds kSlice{50};  // between looks at `released`
constexpr std::chrono::milliseconds kPause{1};
constexpr std::chrono::milliseconds kNoticed{300};  // the end of a process

}  // namespace

Announcement announcement_of(const backend::Shareable& shareable) {
  return {shareable.owner, shareable.allocation, shareable.bytes, shareable.data};
}

backend::Shareable shareable_of(Announcement announcement,
                                std::vector<FileDescriptor> descriptors) {
  return {announcement.owner, announcement.allocation, announcement.bytes,
          std::move(announcement.data), std::move(descriptors)};
}

PeerMemory::PeerMemory(std::span<Link> links, backend::Device& device,
                       std::chrono::milliseconds limit)
    : links_(links), device_(device), limit_(limit) {}

void PeerMemory::tell(int rank, const Message& message, std::span<const FileDescriptor> beside) {
  Link& link = links_[static_cast<std::size_t>(rank)];
  const auto until = Clock::now() + limit_;
  while (link.open() && !released()) {
    try {
      return link.send(message, beside, kSlice);
    } catch (const RunError& error) {
      if (link.peer_is_gone()) return;  // the watchdog sees it and names the rank
      if (Clock::now() >= until) {
        throw RunError(fmt::format("rank {} took no message within {} ms: {}", rank, limit_.count(),
                                   error.what()));
      }
      std::this_thread::sleep_for(kPause);
    }
  }
}

void PeerMemory::announce(const backend::Allocation& allocation) {
  const std::lock_guard lock(telling_);
  if (announced_.contains(allocation.id)) return;
  // What was freed may have had this very place: the peers let go of it first.
  tell_of_the_freed();
  const auto shareable = device_.share(allocation);
  const Message message = announcement_of(shareable);
  for (std::size_t rank = 0; rank < links_.size(); ++rank) {
    tell(static_cast<int>(rank), message, shareable.descriptors);
  }
  announced_.emplace(allocation.id, allocation.memory);
}

bool PeerMemory::told_without_waiting(const Message& message) {
  for (Link& link : links_) {
    if (!link.open()) continue;
    try {
      link.send(message, {}, std::chrono::milliseconds(0));
    } catch (const RunError&) {
      if (!link.peer_is_gone()) return false;
    }
  }
  return true;
}

void PeerMemory::retire_the_freed() {
  const std::unique_lock lock(telling_, std::try_to_lock);
  if (lock) tell_of_the_freed();
}

void PeerMemory::tell_of_the_freed() {
  // A peer that hears it twice does not mind.
  std::erase_if(announced_, [this](const auto& each) {
    return each.second.expired() && told_without_waiting(Retirement{each.first});
  });
}

void PeerMemory::deliver(int rank, Announcement announcement,
                         std::vector<FileDescriptor> descriptors) {
  const std::pair key{rank, announcement.allocation};
  const std::lock_guard lock(mutex_);
  entries_.insert_or_assign(key, shareable_of(std::move(announcement), std::move(descriptors)));
  delivered_.notify_all();
}

void PeerMemory::retire(int rank, std::uint64_t allocation) {
  const std::lock_guard lock(mutex_);
  entries_.erase({rank, allocation});
}

bool PeerMemory::released() {
  const std::lock_guard lock(mutex_);
  return released_;
}

void PeerMemory::release() {
  const std::lock_guard lock(mutex_);
  released_ = true;
  delivered_.notify_all();
}

backend::Memory PeerMemory::resolve(int rank, std::uint64_t allocation, Clock::time_point until) {
  std::unique_lock lock(mutex_);
  const auto here = [&] { return released_ || entries_.contains({rank, allocation}); };
  if (!delivered_.wait_until(lock, until, here) || released_) {
    throw RunError(
        fmt::format("the memory of rank {} did not come (allocation {})", rank, allocation));
  }
  const std::pair key{rank, allocation};
  Entry& entry = entries_.at(key);
  if (auto* const mapped = std::get_if<backend::Memory>(&entry)) return *mapped;
  // Mapping may take its time, which messages must not wait for; nobody else resolves.
  auto shareable = std::get<backend::Shareable>(std::move(entry));
  lock.unlock();
  try {
    auto memory = device_.map(std::move(shareable));
    lock.lock();
    // Not if the peer has retired it meanwhile.
    if (const auto found = entries_.find(key); found != entries_.end()) found->second = memory;
    return memory;
  } catch (const RunError& error) {
    if (!lock.owns_lock()) lock.lock();
    entries_.erase(key);
    // Of a peer that has died; if so, the watchdog is about to say it.
    delivered_.wait_for(lock, kNoticed, [this] { return released_; });
    throw RunError(fmt::format("the memory of rank {} cannot be mapped: {}", rank, error.what()));
  }
}

}  // namespace conccl::comm
