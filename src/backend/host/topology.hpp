// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What the host is made of, and which cores play DMA engines.
#pragma once

#include <string>
#include <vector>

#include "conccl/core/units.hpp"

namespace conccl::backend::host {

/// Facts about the cores this process may use.
struct Topology {
  std::vector<int> cpus;  ///< operating-system numbers, neighbours in the machine side by side
  std::string cpu_model;
  Bytes last_level_cache = 0;  ///< of one cache; 0: not known
  Bytes memory = 0;
};

/// Reads the machine through hwloc. Throws RunError when it cannot.
[[nodiscard]] Topology probe_topology();

/// max(1, cores / 4) cores for DMA, the rest for compute; one core does both.
struct CoreSplit {
  std::vector<int> dma;
  std::vector<int> compute;
};

/// Takes the DMA cores from the end of `cpus`, which must not be empty.
[[nodiscard]] CoreSplit split_cores(const std::vector<int>& cpus);

}  // namespace conccl::backend::host
