// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Waiting for descriptors until a moment.
#pragma once

#include <poll.h>

#include <chrono>
#include <span>

#include "conccl/core/descriptor.hpp"

namespace conccl::comm {

using Clock = std::chrono::steady_clock;
using Moment = Clock::time_point;

/// From now on; a year at most, so that no limit overflows.
[[nodiscard]] Moment moment_after(std::chrono::milliseconds wait);

/// poll() that goes on after signals; negative descriptors are passed over. False when nothing is
/// ready at `until`.
bool poll_until(std::span<pollfd> descriptors, Moment until);
/// The same for one descriptor. True also when the other side is gone.
bool wait_readable(const FileDescriptor& descriptor, Moment until);
bool wait_writable(const FileDescriptor& descriptor, Moment until);
/// Sleeps, but not beyond `until`.
void pause_until(std::chrono::milliseconds wait, Moment until);

}  // namespace conccl::comm
