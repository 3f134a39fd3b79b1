// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What the runtime says of its agents before anything is made on them.
#pragma once

#include <string>
#include <vector>

#include "backend/hsa/library.hpp"

namespace conccl::backend::hsa {

/// Where a GPU is plugged in: the same in every process, whatever its index there.
struct PciAddress {
  std::uint32_t domain = 0;
  std::uint32_t function = 0;  ///< bus, device and function, as the runtime packs them

  friend bool operator==(const PciAddress&, const PciAddress&) = default;
};

struct GpuFacts {
  int index = 0;
  abi::hsa_agent_t agent{};
  abi::hsa_amd_memory_pool_t memory_pool{};  ///< coarse-grained
  std::string isa;                           ///< "gfx942"
  std::string name;                          ///< of the product
  PciAddress pci;
  int node = 0;          ///< of the kernel driver's topology
  int units = 0;         ///< compute units
  int host_engines = 0;  ///< SDMA engines for host traffic; the lowest ids
  int peer_engines = 0;  ///< SDMA engines for xGMI; the ids behind those
  Bytes memory = 0;
  double memory_gbps = 0;        ///< by width and clock, doubled for double data rate
  double peer_gbps = 0;          ///< the slowest link to a peer, one direction; 0: no peer
  std::vector<int> unreachable;  ///< GPUs whose memory it cannot access
};

struct HostFacts {
  abi::hsa_agent_t agent{};                   ///< the first CPU
  abi::hsa_amd_memory_pool_t fine_pool{};     ///< fine-grained
  abi::hsa_amd_memory_pool_t kernarg_pool{};  ///< for kernels' arguments
};

struct AgentFacts {
  HostFacts host;
  std::vector<GpuFacts> gpus;         ///< in the runtime's order
  std::vector<std::string> left_out;  ///< those without SDMA engines or memory, a line each
};

/// Throws RunError when the runtime refuses to answer, Unavailable when there is no GPU.
[[nodiscard]] AgentFacts probe_agents(const Calls& calls);

}  // namespace conccl::backend::hsa
