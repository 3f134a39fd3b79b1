// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/conformance/discovery.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "backend/hsa/conformance/kfd.hpp"

namespace conccl::backend::hsa::conformance {
namespace {

using Agents = std::vector<abi::hsa_agent_t>;
using Pools = std::vector<abi::hsa_amd_memory_pool_t>;

/// Zero where the runtime knows no such thing.
template <typename Value>
Value read(const Calls& calls, abi::hsa_agent_t agent, abi::hsa_agent_info_t attribute) {
  Value value{};
  if (calls.hsa_agent_get_info(agent, attribute, &value) != abi::HSA_STATUS_SUCCESS) return {};
  return value;
}

std::string read_text(const Calls& calls, abi::hsa_agent_t agent, abi::hsa_agent_info_t attribute) {
  auto text = read<std::array<char, 65>>(calls, agent, attribute);
  text.back() = '\0';
  return text.data();
}

Pool read_pool(const Calls& calls, abi::hsa_amd_memory_pool_t handle) {
  Pool pool{handle};
  const auto get = [&](abi::hsa_amd_memory_pool_info_t attribute, void* value) {
    static_cast<void>(calls.hsa_amd_memory_pool_get_info(handle, attribute, value));
  };
  std::uint32_t segment = 0;
  std::size_t bytes = 0;
  get(abi::HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
  get(abi::HSA_AMD_MEMORY_POOL_INFO_SIZE, &bytes);
  pool.bytes = bytes;
  if (segment != abi::HSA_AMD_SEGMENT_GLOBAL) return pool;
  get(abi::HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &pool.flags);
  get(abi::HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &pool.allocates);
  return pool;
}

std::vector<Pool> read_pools(const Calls& calls, abi::hsa_agent_t agent) {
  Pools handles;
  const auto add = [](abi::hsa_amd_memory_pool_t pool, void* data) {
    static_cast<Pools*>(data)->push_back(pool);
    return abi::HSA_STATUS_SUCCESS;
  };
  static_cast<void>(calls.hsa_amd_agent_iterate_memory_pools(agent, add, &handles));
  std::vector<Pool> pools;
  for (const auto handle : handles) pools.push_back(read_pool(calls, handle));
  return pools;
}

Gpu read_gpu(const Calls& calls, abi::hsa_agent_t agent) {
  const auto number = [&](abi::hsa_agent_info_t attribute) {
    return read<std::uint32_t>(calls, agent, attribute);
  };
  Gpu gpu;
  gpu.agent = agent;
  gpu.isa = read_text(calls, agent, abi::HSA_AGENT_INFO_NAME);
  gpu.product = read_text(calls, agent, abi::HSA_AMD_AGENT_INFO_PRODUCT_NAME);
  gpu.uuid = read_text(calls, agent, abi::HSA_AMD_AGENT_INFO_UUID);
  const auto place = number(abi::HSA_AMD_AGENT_INFO_BDFID);
  gpu.address = fmt::format("{:04x}:{:02x}:{:02x}.{:x}", number(abi::HSA_AMD_AGENT_INFO_DOMAIN),
                            place >> 8U & 0xFFU, place >> 3U & 0x1FU, place & 7U);
  gpu.units = number(abi::HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT);
  gpu.node = number(abi::HSA_AMD_AGENT_INFO_DRIVER_NODE_ID);
  gpu.sdma = number(abi::HSA_AMD_AGENT_INFO_NUM_SDMA_ENG);
  gpu.xgmi = number(abi::HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG);
  gpu.pools = read_pools(calls, agent);
  return gpu;
}

Link read_link(const Calls& calls, abi::hsa_agent_t from, const Pool& to) {
  Link link;
  const auto get = [&](abi::hsa_amd_agent_memory_pool_info_t attribute, void* value) {
    return calls.hsa_amd_agent_memory_pool_get_info(from, to.handle, attribute, value) ==
           abi::HSA_STATUS_SUCCESS;
  };
  std::uint32_t access = abi::HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
  link.reaches = get(abi::HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access) &&
                 access != abi::HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
  if (!get(abi::HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS, &link.hops) || link.hops == 0) {
    return link;
  }
  std::vector<abi::hsa_amd_memory_pool_link_info_t> hops(link.hops);
  if (get(abi::HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO, hops.data())) {
    link.type = hops.front().link_type;
  }
  return link;
}

std::uint32_t preferred(const Calls& calls, abi::hsa_agent_t from, abi::hsa_agent_t to) {
  const auto query = calls.hsa_amd_memory_get_preferred_copy_engine;
  std::uint32_t engines = 0;
  if (query == nullptr || query(to, from, &engines) != abi::HSA_STATUS_SUCCESS) return 0;
  return engines;
}

}  // namespace

Devices discover(const Library& library) {
  const Calls& calls = library.calls;
  Agents agents;
  const auto add = [](abi::hsa_agent_t agent, void* data) {
    static_cast<Agents*>(data)->push_back(agent);
    return abi::HSA_STATUS_SUCCESS;
  };
  check(calls, calls.hsa_iterate_agents(add, &agents), {"hsa_iterate_agents"});
  Devices devices;
  for (const auto agent : agents) {
    std::uint32_t type = 0xFFFF;
    static_cast<void>(calls.hsa_agent_get_info(agent, abi::HSA_AGENT_INFO_DEVICE, &type));
    if (type == abi::HSA_DEVICE_TYPE_GPU) devices.gpus.push_back(read_gpu(calls, agent));
    if (type == abi::HSA_DEVICE_TYPE_CPU && devices.host.handle == 0) {
      devices.host = agent;
      devices.host_pools = read_pools(calls, agent);
    }
  }
  return devices;
}

void discover_links(const Library& library, const std::string& sys, Devices& devices) {
  for (Gpu& from : devices.gpus) {
    from.links.assign(devices.gpus.size(), {});
    for (std::size_t at = 0; at < devices.gpus.size(); ++at) {
      const Gpu& to = devices.gpus[at];
      if (&to == &from || to.pools.empty()) continue;
      Link& link = from.links[at];
      link = read_link(library.calls, from.agent, to.pools.front());
      link.preferred = preferred(library.calls, from.agent, to.agent);
      link.by_driver = recommended_engines(sys, from.node, to.node);
    }
  }
}

bool variable_is(const char* name, const char* value) {
  const char* const found = std::getenv(name);
  return found != nullptr && std::string_view(found) == value;
}

}  // namespace conccl::backend::hsa::conformance
