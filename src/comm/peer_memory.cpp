// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/peer_memory.hpp"

#include <fmt/format.h>

#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::comm {

Announcement announcement_of(const backend::Shareable& shareable) {
  return {shareable.owner, shareable.allocation, shareable.bytes, shareable.data};
}

backend::Shareable shareable_of(Announcement announcement, FileDescriptor descriptor) {
  return {announcement.owner, announcement.allocation, announcement.bytes,
          std::move(announcement.data), std::move(descriptor)};
}

PeerMemory::PeerMemory(std::span<Link> links, backend::Device& device,
                       std::chrono::milliseconds limit)
    : links_(links), device_(device), limit_(limit) {}

void PeerMemory::tell(const Message& message, const FileDescriptor& beside) {
  for (Link& link : links_) {
    if (!link.open()) continue;
    try {
      link.send(message, beside, limit_);
    } catch (const RunError& error) {
      log(LogLevel::debug, error.what());  // the watchdog sees the link's end and names the rank
    }
  }
}

void PeerMemory::tell_of_the_gone() {
  for (auto at = announced_.begin(); at != announced_.end();) {
    if (!at->second.expired()) {
      ++at;
      continue;
    }
    tell(Retirement{at->first}, {});
    at = announced_.erase(at);
  }
}

void PeerMemory::announce(const backend::Allocation& allocation) {
  if (announced_.contains(allocation.id)) return;
  tell_of_the_gone();
  const auto shareable = device_.share(allocation);
  tell(announcement_of(shareable), shareable.descriptor);
  announced_.emplace(allocation.id, allocation.memory);
}

void PeerMemory::deliver(int rank, Announcement announcement, FileDescriptor descriptor) {
  const std::pair key{rank, announcement.allocation};
  const std::lock_guard lock(mutex_);
  entries_.insert_or_assign(key, shareable_of(std::move(announcement), std::move(descriptor)));
  delivered_.notify_all();
}

void PeerMemory::retire(int rank, std::uint64_t allocation) {
  const std::lock_guard lock(mutex_);
  entries_.erase({rank, allocation});
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
  Entry& entry = entries_.at({rank, allocation});
  if (auto* shareable = std::get_if<backend::Shareable>(&entry)) {
    entry = device_.map(std::move(*shareable));
  }
  return std::get<backend::Memory>(entry);
}

}  // namespace conccl::comm
