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

  /// Tells the peers of an allocation, once; and of those announced earlier that are gone. Throws
  /// Unavailable when it cannot be shared. A peer that is gone is left to the watchdog.
  void announce(const backend::Allocation& allocation);

  void deliver(int rank, Announcement announcement, FileDescriptor descriptor);
  void retire(int rank, std::uint64_t allocation);
  /// Lets go of everything that waits in `resolve`.
  void release();

  /// The announced allocation of a peer, mapped here. Throws RunError when it has not come by
  /// `until` or was released, and what mapping throws.
  [[nodiscard]] backend::Memory resolve(int rank, std::uint64_t allocation,
                                        Clock::time_point until);

 private:
  using Entry = std::variant<backend::Shareable, backend::Memory>;  ///< not yet mapped, mapped

  void tell(const Message& message, const FileDescriptor& beside);
  void tell_of_the_gone();

  std::span<Link> links_;
  backend::Device& device_;
  std::chrono::milliseconds limit_;
  std::map<std::uint64_t, std::weak_ptr<void>> announced_;

  std::mutex mutex_;
  std::condition_variable delivered_;
  std::map<std::pair<int, std::uint64_t>, Entry> entries_;  ///< by rank and allocation
  bool released_ = false;
};

/// An allocation as a message and back.
[[nodiscard]] Announcement announcement_of(const backend::Shareable& shareable);
[[nodiscard]] backend::Shareable shareable_of(Announcement announcement, FileDescriptor descriptor);

}  // namespace conccl::comm
