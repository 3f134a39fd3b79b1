// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The driver's addresses are numbers, everybody else's are pointers.
#pragma once

#include "backend/cuda/driver.hpp"

namespace conccl::backend::cuda {

[[nodiscard]] inline CUdeviceptr number_of(const void* address) {
  return reinterpret_cast<CUdeviceptr>(address);
}

[[nodiscard]] inline void* pointer_of(CUdeviceptr address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace conccl::backend::cuda
