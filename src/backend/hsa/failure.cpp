// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/failure.hpp"

#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa {

void Failure::declare(const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (declared()) return;
  what_ = what;
  declared_.store(true, std::memory_order_release);
}

void Failure::require_none() const {
  if (!declared()) return;
  const std::lock_guard lock(mutex_);
  throw RunError(what_);
}

}  // namespace conccl::backend::hsa
