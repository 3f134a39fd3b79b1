// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fakes/hsa/topology.hpp"

#include "tests/fakes/hsa/settings.hpp"

namespace conccl::test::fake_hsa {
namespace {

constexpr std::uint64_t kAgentStep = 0x1000;
constexpr std::uint64_t kPoolStep = 0x10;

int layout(Setting setting) { return static_cast<int>(settings().get(setting)); }

std::vector<std::uint32_t> pool_flags(bool gpu) {
  if (gpu) {
    return {HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED,
            HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED, 0};
  }
  return {
      HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED,
      HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED | HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT,
      HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED};
}

}  // namespace

Topology::Topology()
    : cpus_(layout(Setting::cpus)),
      sdma_(layout(Setting::sdma)),
      xgmi_(layout(Setting::xgmi)),
      compute_units_(layout(Setting::compute_units)),
      usable_units_(layout(Setting::usable_units)),
      pool_bytes_(static_cast<std::size_t>(settings().get(Setting::memory_mib)) << 20U),
      isa_(static_cast<std::uint32_t>(settings().get(Setting::isa))) {
  if (usable_units_ == 0 || usable_units_ > compute_units_) usable_units_ = compute_units_;
  for (int i = 0; i < cpus_; ++i) add_agent(-1);
  const int gpus = layout(Setting::gpus);
  for (int i = 0; i < gpus; ++i) add_agent(i);
}

void Topology::add_agent(int gpu) {
  Agent agent;
  agent.index = static_cast<int>(agents_.size());
  agent.gpu = gpu;
  agent.handle = {kAgentStep * (agents_.size() + 1)};
  for (const auto flags : pool_flags(agent.is_gpu())) {
    const hsa_amd_memory_pool_t handle{agent.handle.handle + kPoolStep * (agent.pools.size() + 1)};
    agent.pools.push_back({agent.index, handle, flags != 0, flags});
  }
  agents_.push_back(std::move(agent));
}

const Agent* Topology::find(hsa_agent_t handle) const {
  const auto at = handle.handle / kAgentStep;
  if (handle.handle % kAgentStep != 0 || at == 0 || at > agents_.size()) return nullptr;
  return &agents_[at - 1];
}

const Pool* Topology::find(hsa_amd_memory_pool_t handle) const {
  const Agent* const agent = find(hsa_agent_t{handle.handle / kAgentStep * kAgentStep});
  const auto at = handle.handle % kAgentStep / kPoolStep;
  if (agent == nullptr || handle.handle % kPoolStep != 0 || at == 0 || at > agent->pools.size()) {
    return nullptr;
  }
  return &agent->pools[at - 1];
}

AgentSet Topology::all_gpus() const {
  AgentSet set = 0;
  for (const auto& agent : agents_) {
    if (agent.is_gpu()) set |= agent.bit();
  }
  return set;
}

bool Topology::set_of(const hsa_agent_t* list, std::size_t count, AgentSet& set) const {
  set = 0;
  if (list == nullptr) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const Agent* const agent = find(list[i]);
    if (agent == nullptr) return false;
    set |= agent->bit();
  }
  return true;
}

hsa_amd_memory_pool_access_t Topology::access(const Agent& agent, const Pool& pool) const {
  if (agent.index == pool.agent) return HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT;
  if (!pool.global) return HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
  const bool gpu_memory = agents_[static_cast<std::size_t>(pool.agent)].is_gpu();
  if (!gpu_memory && !agent.is_gpu()) return HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT;
  if (gpu_memory && agent.is_gpu() && settings().on(Setting::no_peer_access)) {
    return HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
  }
  return HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT;
}

int Topology::hops(const Agent& agent, const Pool& pool) const {
  const bool reaches = access(agent, pool) != HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
  return agent.index != pool.agent && reaches ? 1 : 0;
}

}  // namespace conccl::test::fake_hsa
