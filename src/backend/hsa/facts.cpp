// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/facts.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa {
namespace {

using abi::hsa_agent_t;
using abi::hsa_amd_memory_pool_t;

constexpr std::size_t kLongestName = 64;

template <typename Value>
Value agent_info(const Calls& calls, hsa_agent_t agent, abi::hsa_agent_info_t which) {
  Value value{};
  check(calls, calls.hsa_agent_get_info(agent, which, &value), {"hsa_agent_get_info"});
  return value;
}

/// Zero where the runtime does not know the attribute.
std::uint32_t optional_info(const Calls& calls, hsa_agent_t agent, abi::hsa_agent_info_t which) {
  std::uint32_t value = 0;
  const auto status = calls.hsa_agent_get_info(agent, which, &value);
  return status == abi::HSA_STATUS_SUCCESS ? value : 0;
}

std::string agent_text(const Calls& calls, hsa_agent_t agent, abi::hsa_agent_info_t which) {
  std::array<char, kLongestName + 1> text{};
  check(calls, calls.hsa_agent_get_info(agent, which, text.data()), {"hsa_agent_get_info"});
  return text.data();
}

std::vector<hsa_agent_t> all_agents(const Calls& calls) {
  std::vector<hsa_agent_t> agents;
  const auto add = [](hsa_agent_t agent, void* data) {
    static_cast<std::vector<hsa_agent_t>*>(data)->push_back(agent);
    return abi::HSA_STATUS_SUCCESS;
  };
  check(calls, calls.hsa_iterate_agents(add, &agents), {"hsa_iterate_agents"});
  return agents;
}

std::vector<hsa_amd_memory_pool_t> pools_of(const Calls& calls, hsa_agent_t agent) {
  std::vector<hsa_amd_memory_pool_t> pools;
  const auto add = [](hsa_amd_memory_pool_t pool, void* data) {
    static_cast<std::vector<hsa_amd_memory_pool_t>*>(data)->push_back(pool);
    return abi::HSA_STATUS_SUCCESS;
  };
  check(calls, calls.hsa_amd_agent_iterate_memory_pools(agent, add, &pools),
        {"hsa_amd_agent_iterate_memory_pools"});
  return pools;
}

template <typename Value>
Value pool_info(const Calls& calls, hsa_amd_memory_pool_t pool,
                abi::hsa_amd_memory_pool_info_t which) {
  Value value{};
  check(calls, calls.hsa_amd_memory_pool_get_info(pool, which, &value),
        {"hsa_amd_memory_pool_get_info"});
  return value;
}

/// The agent's pool of global memory that can be allocated from and has all of `flags`.
std::optional<hsa_amd_memory_pool_t> pool_with(const Calls& calls, hsa_agent_t agent,
                                               std::uint32_t flags) {
  for (const auto pool : pools_of(calls, agent)) {
    const auto segment =
        pool_info<std::uint32_t>(calls, pool, abi::HSA_AMD_MEMORY_POOL_INFO_SEGMENT);
    if (segment != abi::HSA_AMD_SEGMENT_GLOBAL) continue;
    const auto has =
        pool_info<std::uint32_t>(calls, pool, abi::HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS);
    const auto allowed =
        pool_info<bool>(calls, pool, abi::HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED);
    if (allowed && (has & flags) == flags) return pool;
  }
  return std::nullopt;
}

hsa_amd_memory_pool_t demand_pool(const Calls& calls, hsa_agent_t agent, std::uint32_t flags,
                                  const char* what) {
  if (const auto pool = pool_with(calls, agent, flags)) return *pool;
  throw Unavailable(std::string("the HSA runtime offers no ") + what);
}

double memory_gbps(const Calls& calls, hsa_agent_t agent) {
  const double bits = optional_info(calls, agent, abi::HSA_AMD_AGENT_INFO_MEMORY_WIDTH);
  const double mhz = optional_info(calls, agent, abi::HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY);
  return bits / 8 * mhz * 2 / 1e3;
}

GpuFacts facts_of(const Calls& calls, hsa_agent_t agent, int index) {
  GpuFacts gpu;
  gpu.index = index;
  gpu.agent = agent;
  gpu.memory_pool = demand_pool(calls, agent, abi::HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED,
                                "memory of a GPU");
  gpu.isa = agent_text(calls, agent, abi::HSA_AGENT_INFO_NAME);
  gpu.name = agent_text(calls, agent, abi::HSA_AMD_AGENT_INFO_PRODUCT_NAME);
  gpu.pci = {optional_info(calls, agent, abi::HSA_AMD_AGENT_INFO_DOMAIN),
             optional_info(calls, agent, abi::HSA_AMD_AGENT_INFO_BDFID)};
  const auto number = [&](abi::hsa_agent_info_t which) {
    return static_cast<int>(optional_info(calls, agent, which));
  };
  gpu.node = number(abi::HSA_AMD_AGENT_INFO_DRIVER_NODE_ID);
  gpu.units = number(abi::HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT);
  gpu.host_engines = number(abi::HSA_AMD_AGENT_INFO_NUM_SDMA_ENG);
  gpu.peer_engines = number(abi::HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG);
  gpu.memory = pool_info<std::size_t>(calls, gpu.memory_pool, abi::HSA_AMD_MEMORY_POOL_INFO_SIZE);
  gpu.memory_gbps = memory_gbps(calls, agent);
  return gpu;
}

/// GB/s of the narrowest hop; 0 where the runtime does not say.
double link_gbps(const Calls& calls, hsa_agent_t agent, hsa_amd_memory_pool_t pool) {
  std::uint32_t hops = 0;
  if (calls.hsa_amd_agent_memory_pool_get_info(agent, pool,
                                               abi::HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS,
                                               &hops) != abi::HSA_STATUS_SUCCESS ||
      hops == 0) {
    return 0;
  }
  std::vector<abi::hsa_amd_memory_pool_link_info_t> links(hops);
  if (calls.hsa_amd_agent_memory_pool_get_info(agent, pool,
                                               abi::HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO,
                                               links.data()) != abi::HSA_STATUS_SUCCESS) {
    return 0;
  }
  const auto narrowest =
      std::ranges::min_element(links, {}, &abi::hsa_amd_memory_pool_link_info_t::max_bandwidth);
  return narrowest->max_bandwidth / 1e3;
}

void add_peer(const Calls& calls, GpuFacts& gpu, const GpuFacts& peer) {
  auto access = abi::HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
  check(calls,
        calls.hsa_amd_agent_memory_pool_get_info(
            gpu.agent, peer.memory_pool, abi::HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access),
        {"hsa_amd_agent_memory_pool_get_info", gpu.index});
  if (access == abi::HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED) {
    gpu.unreachable.push_back(peer.index);
    return;
  }
  const double gbps = link_gbps(calls, gpu.agent, peer.memory_pool);
  if (gbps > 0) gpu.peer_gbps = gpu.peer_gbps == 0 ? gbps : std::min(gpu.peer_gbps, gbps);
}

/// Integrated ones among others may lack what this backend needs.
void add_gpu(const Calls& calls, hsa_agent_t agent, AgentFacts& found) {
  try {
    GpuFacts gpu = facts_of(calls, agent, static_cast<int>(found.gpus.size()));
    if (gpu.host_engines + gpu.peer_engines > 0) {
      found.gpus.push_back(std::move(gpu));
      return;
    }
    found.left_out.push_back(gpu.name + ": it has no SDMA engines");
  } catch (const Unavailable& error) {
    found.left_out.emplace_back(error.what());
  }
}

}  // namespace

AgentFacts probe_agents(const Calls& calls) {
  AgentFacts found;
  for (const auto agent : all_agents(calls)) {
    const auto type = agent_info<abi::hsa_device_type_t>(calls, agent, abi::HSA_AGENT_INFO_DEVICE);
    if (type == abi::HSA_DEVICE_TYPE_GPU) {
      add_gpu(calls, agent, found);
    } else if (type == abi::HSA_DEVICE_TYPE_CPU && found.host.agent.handle == 0) {
      found.host.agent = agent;
    }
  }
  if (found.gpus.empty()) {
    throw Unavailable(found.left_out.empty() ? "no device"
                                             : "no device: " + found.left_out.front());
  }
  found.host.fine_pool =
      demand_pool(calls, found.host.agent, abi::HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED,
                  "fine-grained memory of the host");
  found.host.kernarg_pool =
      demand_pool(calls, found.host.agent, abi::HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT,
                  "memory for kernels' arguments");
  for (GpuFacts& gpu : found.gpus) {
    for (const GpuFacts& peer : found.gpus) {
      if (peer.index != gpu.index) add_peer(calls, gpu, peer);
    }
  }
  return found;
}

}  // namespace conccl::backend::hsa
