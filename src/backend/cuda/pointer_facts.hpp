// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What the driver tells of an address.
#pragma once

#include "backend/cuda/driver.hpp"

namespace conccl::backend::cuda {

struct PointerFacts {
  unsigned kind = 0;  ///< a CUmemorytype; 0: not the driver's
  unsigned managed = 0;
  unsigned long long buffer = 0;  ///< never used again in this process
  CUdeviceptr base = 0;           ///< of the allocation, or of the addresses that were reserved
  std::size_t bytes = 0;
  int gpu = 0;
  CUmemoryPool pool = nullptr;  ///< null: not of a stream-ordered pool
  unsigned ipc = 0;             ///< 1: of cudaMalloc
};

/// All zero for what the driver does not know. Throws RunError.
[[nodiscard]] PointerFacts pointer_facts(CUdeviceptr address);
/// PointerFacts::buffer alone, for a fraction of the time.
[[nodiscard]] unsigned long long buffer_at(CUdeviceptr address);

}  // namespace conccl::backend::cuda
