// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Buffers in memory that the backend did not make.
#pragma once

#include <string>

#include "tests/faults/rank/checked_call.hpp"

namespace conccl::test {

/// Throws Unavailable in a program that was built without CUDA. `kind`: see `foreign_memory`.
[[nodiscard]] Buffers foreign_buffers(backend::Device& device, const std::string& kind,
                                      Bytes bytes);

}  // namespace conccl::test
