// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The agents and their pools: CPUs first, then GPUs, all of which are one xGMI hop apart.
#pragma once

#include <string>
#include <vector>

#include "tests/fakes/hsa/signals.hpp"

namespace conccl::test::fake_hsa {

/// A set of agents, a bit per index.
using AgentSet = std::uint64_t;

struct Pool {
  int agent = 0;
  hsa_amd_memory_pool_t handle{};
  bool global = true;       ///< false: what a workgroup shares, nothing can be allocated
  std::uint32_t flags = 0;  ///< of hsa_amd_memory_pool_global_flag_t
};

struct Agent {
  int index = 0;  ///< among all agents
  int gpu = -1;   ///< among GPUs; -1: a CPU
  hsa_agent_t handle{};
  std::vector<Pool> pools;

  [[nodiscard]] bool is_gpu() const { return gpu >= 0; }
  [[nodiscard]] AgentSet bit() const { return AgentSet{1} << static_cast<unsigned>(index); }
};

class Topology {
 public:
  /// From the settings, once.
  Topology();

  [[nodiscard]] const std::vector<Agent>& agents() const { return agents_; }
  [[nodiscard]] const Agent& gpu(int gpu) const {
    return agents_[static_cast<std::size_t>(cpus_ + gpu)];
  }
  [[nodiscard]] int gpus() const { return static_cast<int>(agents_.size()) - cpus_; }
  /// Null: there is none.
  [[nodiscard]] const Agent* find(hsa_agent_t handle) const;
  [[nodiscard]] const Pool* find(hsa_amd_memory_pool_t handle) const;
  [[nodiscard]] AgentSet all_gpus() const;
  /// False when the list is null or one of them does not exist.
  [[nodiscard]] bool set_of(const hsa_agent_t* list, std::size_t count, AgentSet& set) const;

  [[nodiscard]] int host_engines() const { return sdma_; }
  [[nodiscard]] int xgmi_engines() const { return xgmi_; }
  [[nodiscard]] int engines() const { return sdma_ + xgmi_; }
  [[nodiscard]] int compute_units() const { return compute_units_; }
  /// Those that queues may use, the first ones.
  [[nodiscard]] int usable_units() const { return usable_units_; }
  [[nodiscard]] std::size_t pool_bytes() const { return pool_bytes_; }
  [[nodiscard]] std::uint32_t isa() const { return isa_; }
  [[nodiscard]] hsa_amd_memory_pool_access_t access(const Agent& agent, const Pool& pool) const;
  /// The agent that the pool belongs to is at most one hop away, for all others.
  [[nodiscard]] int hops(const Agent& agent, const Pool& pool) const;

 private:
  void add_agent(int gpu);

  int cpus_ = 0;
  int sdma_ = 0;
  int xgmi_ = 0;
  int compute_units_ = 0;
  int usable_units_ = 0;
  std::size_t pool_bytes_ = 0;
  std::uint32_t isa_ = 0;
  std::vector<Agent> agents_;
};

}  // namespace conccl::test::fake_hsa
