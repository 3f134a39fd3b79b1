// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The host backend: emulates devices with threads. It shows function, not hardware.
#pragma once

#include <memory>

#include "conccl/backend/device.hpp"

namespace conccl::backend {

/// Ranks are threads that share this machine's cores: max(1, cores / 4) of the cores the process
/// may use play DMA engines for all of them, the rest run every rank's compute units (at least four
/// threads each). Limits OpenBLAS to one thread per call for the whole process. Device memory is
/// anonymous shared memory, so every allocation can be shared; every device of the process finds
/// the allocations of all of them. Throws RunError when the machine cannot be read.
///
/// A queue that is destroyed while it waits for a flag gives up on the flag after ten seconds, and
/// nothing that was enqueued behind it happens; poison the block to end the wait at once.
///
/// A process forked from the one that opened the backend cannot use it: `allocate` throws RunError.
[[nodiscard]] std::unique_ptr<Backend> open_host();

}  // namespace conccl::backend
