// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `PeerMemory`: allocations that ranks in different processes have told each other about.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <variant>

#include "comm/link.hpp"
#include "comm/ring.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::comm {

/// An allocation is announced to every peer before the first post that names it, and mapped by a
/// peer when first needed. The rank's thread announces and resolves, the watchdog delivers.
class PeerMemory {
 public:
  /// `links` by rank and `device` must outlive it; the links are only sent on.
  PeerMemory(std::span<Link> links, backend::Device& device, std::chrono::milliseconds limit);

  /// Tells the peers of an allocation, once. Throws Unavailable when it cannot be shared, RunError
  /// naming the peer that does not take the message in time. A peer that is gone is left to the
  /// watchdog, and so is everything after `release`.
  void announce(const backend::Allocation& allocation);
  /// Tells the peers of announced allocations that are gone, as far as it can without waiting.
  void retire_the_freed();

  void deliver(int rank, Announcement announcement, std::vector<FileDescriptor> descriptors);
  void retire(int rank, std::uint64_t allocation);
  /// Lets go of everything that waits in `announce` and `resolve`.
  void release();

  /// The announced allocation of a peer, mapped here. Throws RunError when it has not come by
  /// `until` or was released, and what mapping throws.
  [[nodiscard]] backend::Memory resolve(int rank, std::uint64_t allocation,
                                        Clock::time_point until);

 private:
  using Entry = std::variant<backend::Shareable, backend::Memory>;  ///< not yet mapped, mapped

  void tell(int rank, const Message& message, std::span<const FileDescriptor> beside);
  void tell_of_the_freed();
  [[nodiscard]] bool told_without_waiting(const Message& message);
  [[nodiscard]] bool released();

  std::span<Link> links_;
  backend::Device& device_;
  std::chrono::milliseconds limit_;
  std::mutex telling_;  ///< held while sending; the next line is its
  std::map<std::uint64_t, std::weak_ptr<void>> announced_;

  std::mutex mutex_;
  std::condition_variable delivered_;
  std::map<std::pair<int, std::uint64_t>, Entry> entries_;  ///< by rank and allocation
  bool released_ = false;
};

/// An allocation as a message and back.
[[nodiscard]] Announcement announcement_of(const backend::Shareable& shareable);
[[nodiscard]] backend::Shareable shareable_of(Announcement announcement,
                                              std::vector<FileDescriptor> descriptors);

}  // namespace conccl::comm
