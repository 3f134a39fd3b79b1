// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Calls collected by the group of the calling thread.
#pragma once

#include <functional>

namespace conccl::comm {

/// A call in two steps: tell the peers, then wait for them and enqueue.
struct GroupedCall {
  std::function<void()> post;
  std::function<void()> finish;
};

/// Runs both steps now, or at the end of this thread's outermost group.
void run_or_collect(GroupedCall call);

}  // namespace conccl::comm
