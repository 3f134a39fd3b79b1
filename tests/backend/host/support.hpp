// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Flags in ordinary memory.
#pragma once

#include <memory>

#include "conccl/backend/host_flags.hpp"

namespace conccl::backend::host {

/// Zeroed, for `count` flags.
[[nodiscard]] inline Memory flag_memory(int count) {
  const auto slots = static_cast<std::size_t>(count) + 1;
  const std::shared_ptr<FlagSlot[]> memory(new FlagSlot[slots]);
  return {std::shared_ptr<void>(memory, memory.get()), HostFlags::bytes_for(count)};
}

}  // namespace conccl::backend::host
