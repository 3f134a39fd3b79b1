// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Calls collected by the group of the calling thread.
#pragma once

#include <functional>

namespace conccl::comm {

/// A call in two steps: tell the peers, then wait for them and enqueue.
struct GroupedCall {
  const void* communicator = nullptr;  ///< whose call it is
  std::function<void()> post;
  std::function<void()> finish;
};

/// Runs both steps now, or at the end of this thread's outermost group.
///
/// A communicator has room for a limited number of posts, so the end of a group works in passes of
/// at most this many calls per communicator; most groups end in one pass.
inline constexpr int kCallsPerPass = 64;
void run_or_collect(GroupedCall call);

}  // namespace conccl::comm
