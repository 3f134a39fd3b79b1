// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Memory of every kind that CUDA has, as programs bring it.
#pragma once

#include <string>

#include "conccl/backend/device.hpp"

namespace conccl::test {

/// The GPU that a device of the CUDA backend is.
[[nodiscard]] int gpu_of(backend::Device& device);

/// `kind`: "malloc", "pieces" (of 2 MiB, one behind the other), "unshareable", "pool", "managed",
/// "pinned", "registered" or "pageable". Freed with the last owner. Throws RunError when the driver
/// does not give it, InputError for another kind.
[[nodiscard]] backend::Memory foreign_memory(int gpu, const std::string& kind, Bytes bytes);

}  // namespace conccl::test
