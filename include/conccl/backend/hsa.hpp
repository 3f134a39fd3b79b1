// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The HSA backend: AMD GPUs by the HSA runtime, which is opened at run time.
#pragma once

#include <memory>

#include "conccl/backend/device.hpp"

namespace conccl::backend {

/// Rank r gets GPU r modulo their number, so ranks may share one. Each copy is one call of
/// hsa_amd_memory_async_copy_on_engine, on one engine per peer, never on compute units; flags are
/// words of host memory, which a thread of each queue raises and waits for; shares of compute units
/// are masks of a kernel queue. The environment: CONCCL_HSA (the library), CONCCL_HSA_ENGINES,
/// CONCCL_HSA_DEADLINE; docs/hsa.md says what they do. Throws Unavailable with the reason when there
/// is no runtime, none that is new enough, or no GPU, InputError for a variable it cannot read.
///
/// Derived from AMD's sources and tested on a double of its runtime: never run on an AMD GPU.
///
/// A copy or kernel that fails, or does not end within its deadline, ends all work on its GPU for
/// good: queues throw RunError, flags that were to be raised are poisoned, and what the copy uses
/// stays allocated until it has ended.
[[nodiscard]] std::unique_ptr<Backend> open_hsa();

}  // namespace conccl::backend
