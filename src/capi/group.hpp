// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The calling thread's open group.
#pragma once

#include <memory>

#include "capi/handles.hpp"
#include "capi/join.hpp"

namespace conccl::capi {

/// A window that gets its handle when the group has ended.
struct PendingWindow {
  concclWindow_t* slot = nullptr;  ///< the caller's variable
  std::shared_ptr<RegisteredWindow> window;
};

/// What the open group holds until its end; without a group these do it now (`keep`: nothing).
void join_or_collect(Join wanted);
void publish_or_collect(PendingWindow pending);
/// Collected calls refer to both.
void keep_for_group(std::shared_ptr<Comm> comm, std::shared_ptr<Stream> stream = nullptr);

/// Makes the group fail if one is open and `result` is an error. Returns `result`.
concclResult_t note_in_group(concclResult_t result) noexcept;

}  // namespace conccl::capi
