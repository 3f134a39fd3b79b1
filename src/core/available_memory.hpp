// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `available_memory` on a tree of files like the system's.
#pragma once

#include <filesystem>

#include "conccl/core/shared_segment.hpp"

namespace conccl {

/// Reads `root`/proc and `root`/sys/fs/cgroup; files that are missing or have no number bound
/// nothing.
[[nodiscard]] AvailableMemory available_memory_in(const std::filesystem::path& root);

}  // namespace conccl
