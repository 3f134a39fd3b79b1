// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What agents and their pools say of themselves.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "tests/fakes/hsa/runtime.hpp"

namespace conccl::test::fake_hsa {
namespace {

constexpr std::size_t kNameChars = 64;
constexpr std::size_t kUuidChars = 21;

template <typename Value>
hsa_status_t put(void* where, Value value) {
  std::memcpy(where, &value, sizeof value);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t put_text(void* where, const std::string& text, std::size_t chars) {
  std::memset(where, 0, chars);
  std::memcpy(where, text.data(), std::min(text.size(), chars - 1));
  return HSA_STATUS_SUCCESS;
}

std::string hex(const char* format, std::uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, format, static_cast<unsigned long long>(value));
  return text;
}

std::string name_of(const Runtime& all, const Agent& agent) {
  return agent.is_gpu() ? hex("gfx%llx", all.topology.isa()) : "AMD EPYC (double)";
}

std::string uuid_of(const Agent& agent) {
  if (!agent.is_gpu()) return "CPU-XX";
  return hex("GPU-%016llx", 0xD0B1E00000000000U + static_cast<unsigned>(agent.gpu));
}

/// Two GPUs to a bus, as functions of different devices; the second half is in a domain of its own.
std::uint32_t bdf_of(const Agent& agent) {
  const auto gpu = static_cast<unsigned>(std::max(agent.gpu, 0));
  return (0x10U + gpu / 2) << 8U | (gpu % 2) << 3U;
}

std::uint32_t domain_of(const Runtime& all, const Agent& agent) {
  return agent.gpu >= 0 && agent.gpu >= all.topology.gpus() / 2 ? 1 : 0;
}

/// Facts of a GPU that are numbers of 32 bits; a CPU's are 0.
bool gpu_number(const Runtime& all, std::uint32_t attribute, std::uint32_t& value) {
  const auto& topology = all.topology;
  switch (attribute) {
    case HSA_AGENT_INFO_QUEUE_MIN_SIZE:
      value = kFewestPackets;
      return true;
    case HSA_AGENT_INFO_QUEUE_MAX_SIZE:
      value = kMostPackets;
      return true;
    case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
      value = static_cast<std::uint32_t>(topology.compute_units());
      return true;
    case HSA_AMD_AGENT_INFO_MEMORY_WIDTH:
      value = 8192;
      return true;
    case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY:
      value = 1300;
      return true;
    case HSA_AMD_AGENT_INFO_NUM_SDMA_ENG:
      value = static_cast<std::uint32_t>(topology.host_engines());
      return true;
    case HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG:
      value = static_cast<std::uint32_t>(topology.xgmi_engines());
      return true;
    default:
      return false;
  }
}

hsa_amd_memory_pool_link_info_t link(bool xgmi) {
  hsa_amd_memory_pool_link_info_t info{};
  info.min_bandwidth = xgmi ? 64'000 : 32'000;
  info.max_bandwidth = xgmi ? 64'000 : 64'000;
  info.atomic_support_32bit = true;
  info.atomic_support_64bit = true;
  info.coherent_support = xgmi;
  info.link_type = xgmi ? HSA_AMD_LINK_INFO_TYPE_XGMI : HSA_AMD_LINK_INFO_TYPE_PCIE;
  info.numa_distance = xgmi ? 15 : 20;
  return info;
}

}  // namespace

CONCCL_FAKE_HSA_API hsa_status_t hsa_status_string(hsa_status_t status, const char** text) {
  if (text == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  switch (status) {
    case HSA_STATUS_SUCCESS:
      *text = "HSA_STATUS_SUCCESS: The function has been executed successfully.";
      return HSA_STATUS_SUCCESS;
    case HSA_STATUS_ERROR_OUT_OF_RESOURCES:
      *text = "HSA_STATUS_ERROR_OUT_OF_RESOURCES: The runtime failed to allocate resources.";
      return HSA_STATUS_SUCCESS;
    case HSA_STATUS_ERROR:
      *text = "HSA_STATUS_ERROR: A generic error has occurred.";
      return HSA_STATUS_SUCCESS;
    default:
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_system_get_info(hsa_system_info_t attribute, void* value) {
  if (runtime() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  switch (attribute) {
    case HSA_SYSTEM_INFO_VERSION_MAJOR:
      return put<std::uint16_t>(value, 1);
    case HSA_SYSTEM_INFO_VERSION_MINOR:
      return put<std::uint16_t>(value, 1);
    case HSA_SYSTEM_INFO_TIMESTAMP:
      return put(value, ticks_now());
    case HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY:
      return put(value, kTicksPerSecond);
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t agent,
                                                                             void* data),
                                                    void* data) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (const auto& agent : all->topology.agents()) {
    const auto status = callback(agent.handle, data);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_agent_get_info(hsa_agent_t handle, hsa_agent_info_t attribute,
                                                    void* value) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  const Agent* const agent = all->topology.find(handle);
  if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  switch (attribute) {
    case HSA_AGENT_INFO_NAME:
      return put_text(value, name_of(*all, *agent), kNameChars);
    case HSA_AGENT_INFO_DEVICE:
      return put(value, agent->is_gpu() ? HSA_DEVICE_TYPE_GPU : HSA_DEVICE_TYPE_CPU);
    case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID:
      return put(value, static_cast<std::uint32_t>(agent->index));
    case HSA_AMD_AGENT_INFO_BDFID:
      return put(value, bdf_of(*agent));
    case HSA_AMD_AGENT_INFO_DOMAIN:
      return put(value, domain_of(*all, *agent));
    case HSA_AMD_AGENT_INFO_PRODUCT_NAME:
      return put_text(value, agent->is_gpu() ? "AMD Instinct MI300X (double)" : "AMD EPYC (double)",
                      kNameChars);
    case HSA_AMD_AGENT_INFO_UUID:
      return put_text(value, uuid_of(*agent), kUuidChars);
    default:
      std::uint32_t number = 0;
      if (!gpu_number(*all, attribute, number)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
      return put(value, agent->is_gpu() ? number : 0U);
  }
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_agent_iterate_memory_pools(
    hsa_agent_t handle, hsa_status_t (*callback)(hsa_amd_memory_pool_t pool, void* data),
    void* data) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  const Agent* const agent = all->topology.find(handle);
  if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (const auto& pool : agent->pools) {
    const auto status = callback(pool.handle, data);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t handle,
                                                              hsa_amd_memory_pool_info_t attribute,
                                                              void* value) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  const Pool* const pool = all->topology.find(handle);
  if (pool == nullptr) return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  constexpr std::uint32_t kGroupSegment = 3;
  switch (attribute) {
    case HSA_AMD_MEMORY_POOL_INFO_SEGMENT:
      return put<std::uint32_t>(value, pool->global ? HSA_AMD_SEGMENT_GLOBAL : kGroupSegment);
    case HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS:
      if (!pool->global) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
      return put(value, pool->flags);
    case HSA_AMD_MEMORY_POOL_INFO_SIZE:
      return put(value, pool->global ? all->topology.pool_bytes() : std::size_t{65'536});
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED:
      return put(value, pool->global);
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

CONCCL_FAKE_HSA_API hsa_status_t
hsa_amd_agent_memory_pool_get_info(hsa_agent_t agent_handle, hsa_amd_memory_pool_t pool_handle,
                                   hsa_amd_agent_memory_pool_info_t attribute, void* value) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  const auto& topology = all->topology;
  const Agent* const agent = topology.find(agent_handle);
  if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
  const Pool* const pool = topology.find(pool_handle);
  if (pool == nullptr) return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const int hops = topology.hops(*agent, *pool);
  const bool xgmi =
      agent->is_gpu() && topology.agents()[static_cast<std::size_t>(pool->agent)].is_gpu();
  switch (attribute) {
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS:
      return put(value, topology.access(*agent, *pool));
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS:
      return put(value, static_cast<std::uint32_t>(hops));
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO:
      if (hops != 0) put(value, link(xgmi));
      return HSA_STATUS_SUCCESS;
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

}  // namespace conccl::test::fake_hsa
