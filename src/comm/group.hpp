// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Calls collected by the group of the calling thread.
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace conccl::comm {

/// A call in three steps, so that a group can do each for all of its calls before the next.
class GroupedCall {
 public:
  virtual ~GroupedCall() = default;

  /// Whose call it is.
  [[nodiscard]] virtual const void* communicator() const = 0;
  /// Throws what is wrong with the call while no peer knows of it.
  virtual void check() = 0;
  /// Tells the peers.
  virtual void post() = 0;
  /// Waits for the peers and enqueues. A call that fails here fails its communicator.
  virtual void finish() = 0;
  /// The peers know of the call, and it will not be finished: fails the communicator.
  virtual void abandon(const std::string& why) = 0;
};

/// Whether this thread has a group that has not ended.
[[nodiscard]] bool group_is_open();
/// For the end of this thread's outermost group.
void collect(std::unique_ptr<GroupedCall> call);
void run_now(GroupedCall& call);

/// A communicator has room for a limited number of posts, so the end of a group works in passes of
/// at most this many calls per communicator; most groups end in one pass.
inline constexpr int kCallsPerPass = 64;

/// Runs the call now, or at the end of this thread's outermost group.
template <typename Call>
void run_or_collect(Call call) {
  if (group_is_open()) {
    collect(std::make_unique<Call>(std::move(call)));
  } else {
    run_now(call);
  }
}

}  // namespace conccl::comm
