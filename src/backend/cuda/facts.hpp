// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What the driver says of a GPU before anything is made on it.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "backend/cuda/driver.hpp"

namespace conccl::backend::cuda {

/// What a GPU, or a part of one, is called in every process, whatever its ordinal there.
using Uuid = std::array<std::byte, 16>;
/// As nvidia-smi -L prints it.
[[nodiscard]] std::string to_text(const Uuid& uuid);

struct GpuFacts {
  int ordinal = 0;
  CUdevice device = 0;
  Uuid uuid{};
  std::string name;
  int architecture = 0;  ///< compute capability: 90 is 9.0
  int units = 0;         ///< SMs
  int unit_step = 1;     ///< partitions are multiples of it; 0: none can be made
  int engines = 0;       ///< asynchronous copy engines, as the driver counts them
  Bytes memory = 0;
  Bytes cache = 0;
  std::vector<int> reach;  ///< ordinals of GPUs that can access its memory, itself among them
};

[[nodiscard]] int gpu_count();
[[nodiscard]] GpuFacts facts_of(int ordinal);
/// Throws Unavailable with the reason when the backend cannot use this GPU.
void demand_features(const GpuFacts& facts);

}  // namespace conccl::backend::cuda
