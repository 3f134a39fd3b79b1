// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Which SDMA engine carries which of a GPU's copies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/hsa/facts.hpp"

namespace conccl::backend::hsa {

/// What is known when engines are chosen for one GPU. Masks have bit e for the runtime's engine e,
/// by GPU; 0: nothing is recommended.
struct EngineQuestion {
  int self = 0;
  int host_engines = 0;  ///< the lowest ids
  int peer_engines = 0;  ///< the ids behind those; 0: peers are reached as the host is
  std::vector<std::uint32_t> preferred;    ///< by the runtime
  std::vector<std::uint32_t> recommended;  ///< by the kernel driver's topology
  std::vector<int> allowed;                ///< by the user; empty: all
};

enum class EngineSource { preferred, topology, spread };

/// The runtime's engine ids, which need not be those of physical engines.
struct EngineTable {
  std::vector<int> to_gpu;            ///< by GPU; its own index: for copies within it
  std::vector<EngineSource> sources;  ///< why; its own: spread
  int to_host = 0;
  int from_host = 0;
  int for_peers = 0;  ///< how many different ones copies to peers could use
};

/// One engine per peer as long as there are enough: the runtime's preference, else the topology's,
/// else spread over the engines for peers, even ids first (odd ones are missing on some parts and
/// then never end). Never an engine for host traffic to a peer, unless there are no others or the
/// runtime prefers that one alone on a part with six engines for peers. Throws Unavailable when the
/// user's list leaves none.
[[nodiscard]] EngineTable choose_engines(const EngineQuestion& question);

/// The kernel driver's recommendation for copies between two nodes of its topology, from files
/// under `root` (/sys/class/kfd/kfd/topology); 0 where there is none.
[[nodiscard]] std::uint32_t recommended_engines(const std::string& root, int from_node,
                                                int to_node);

/// Asks runtime and topology.
[[nodiscard]] EngineQuestion engine_question(const Calls& calls, const std::vector<GpuFacts>& gpus,
                                             int self, const std::vector<int>& allowed);

/// "2 to GPU 1 (preferred by the runtime), ..."; for `conccl doctor`.
[[nodiscard]] std::string to_string(const EngineTable& table, int self);

}  // namespace conccl::backend::hsa
