// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Places where kernels count, used again and again.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "backend/kernel_args.hpp"
#include "conccl/backend/memory.hpp"

namespace conccl::backend::hsa {

class Runtime;

/// Where kernels add up, and where the host reads what they found.
struct TallySlot {
  Tally* device = nullptr;
  Tally* host = nullptr;
};

/// Any thread may call it.
class TallySlots {
 public:
  /// Back in the pool when the last owner is gone. The memory lives as long as a slot of it, and
  /// holds the runtime. Throws RunError.
  [[nodiscard]] std::shared_ptr<const TallySlot> take(const std::shared_ptr<Runtime>& runtime,
                                                      int gpu);

 private:
  struct Page;

  std::mutex mutex_;
  std::weak_ptr<Page> page_;  ///< the newest
};

}  // namespace conccl::backend::hsa
