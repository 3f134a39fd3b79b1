// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The HSA backend: AMD GPUs by the HSA runtime, which is opened at run time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "conccl/backend/device.hpp"
#include "conccl/core/data_type.hpp"

namespace conccl::backend {

/// Rank r gets GPU r modulo their number, so ranks may share one. Each copy is one call of
/// hsa_amd_memory_async_copy_on_engine, on one engine per peer, never on compute units (with
/// CONCCL_HSA_BATCH=1 the runtime chooses the engines of those to peers); flags are words of host
/// memory, which a thread of each queue raises and waits for; shares of compute units are masks of
/// a kernel queue. docs/hsa.md has the variables of the environment. Throws Unavailable with the
/// reason when there is no runtime, none that is new enough, or no GPU, InputError for a variable
/// it cannot read.
///
/// Derived from AMD's sources and tested on a double of its runtime: never run on an AMD GPU.
///
/// A copy or kernel that fails, or does not end within its deadline, ends all work on its GPU for
/// good: queues throw RunError, flags that were to be raised are poisoned, and what the copy uses
/// of this backend's memory stays allocated until it has ended.
[[nodiscard]] std::unique_ptr<Backend> open_hsa();

namespace hsa {

enum class ReduceOperation { sum, min, max, product };
inline constexpr std::size_t kMostReduceSources = 16;

/// dst[i] = sources[0][i] op sources[1][i] op ..., in this order, for `count` elements. `dst` may
/// be one of the sources. bfloat16 and float16 are rounded once, at the end. All are memory that
/// the device's GPU reaches, aligned to the type, and must stay until the task has run.
struct Reduction {
  void* dst = nullptr;
  std::vector<const void*> sources;  ///< 1 to kMostReduceSources
  std::uint64_t count = 0;
  DataType type = DataType::float32;
  ReduceOperation operation = ReduceOperation::sum;
};

/// On compute units. Throws InputError for a device of another backend, for no source or too many,
/// and for an address that is not aligned; the queue that runs it throws Unavailable where there
/// are no kernels.
[[nodiscard]] std::unique_ptr<Task> make_reduce(Device& device, Reduction reduction);

}  // namespace hsa

}  // namespace conccl::backend
