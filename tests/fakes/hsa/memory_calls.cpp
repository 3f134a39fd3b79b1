// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bit>
#include <cstring>

#include "tests/fakes/hsa/runtime.hpp"

namespace conccl::test::fake_hsa {
namespace {

/// An absent list means every GPU.
bool agents_or_all(const Topology& topology, const hsa_agent_t* list, std::size_t count,
                   AgentSet& set) {
  set = topology.all_gpus();
  return count == 0 || topology.set_of(list, count, set);
}

hsa_amd_pointer_type_t type_of(const Allocation& allocation) {
  switch (allocation.origin) {
    case Origin::pool:
      return HSA_EXT_POINTER_TYPE_HSA;
    case Origin::import:
      return HSA_EXT_POINTER_TYPE_IPC;
    case Origin::host:
      return HSA_EXT_POINTER_TYPE_LOCKED;
  }
  return HSA_EXT_POINTER_TYPE_UNKNOWN;
}

hsa_amd_pointer_info_t describe(const Topology& topology, const Allocation* allocation) {
  hsa_amd_pointer_info_t info{};
  info.type = HSA_EXT_POINTER_TYPE_UNKNOWN;
  if (allocation == nullptr) return info;
  info.type = type_of(*allocation);
  info.agentBaseAddress = allocation->base;
  info.hostBaseAddress = allocation->base;
  info.sizeInBytes = allocation->bytes;
  info.agentOwner = topology.agents()[static_cast<std::size_t>(allocation->owner)].handle;
  if (allocation->pool != nullptr) info.global_flags = allocation->pool->flags;
  return info;
}

hsa_status_t list_agents(const Topology& topology, AgentSet set, void* (*allocate)(std::size_t),
                         std::uint32_t* count, hsa_agent_t** list) {
  const auto members = static_cast<std::size_t>(std::popcount(set));
  *count = static_cast<std::uint32_t>(members);
  *list = static_cast<hsa_agent_t*>(allocate(members * sizeof(hsa_agent_t)));
  if (*list == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  std::size_t next = 0;
  for (const auto& agent : topology.agents()) {
    if ((set & agent.bit()) != 0) (*list)[next++] = agent.handle;
  }
  return HSA_STATUS_SUCCESS;
}

}  // namespace

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t handle,
                                                              std::size_t bytes,
                                                              std::uint32_t flags, void** pointer) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (bytes == 0 || flags != 0 || pointer == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const Pool* const pool = all->topology.find(handle);
  if (pool == nullptr) return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
  return all->memory.allocate(*pool, bytes, pointer);
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_memory_pool_free(void* pointer) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (pointer == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return all->memory.free(pointer);
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_register_deallocation_callback(
    void* base, void (*callback)(void* base, void* data), void* data) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (base == nullptr || callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return all->memory.tell_when_freed(base, {callback, data});
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_agents_allow_access(std::uint32_t count,
                                                             const hsa_agent_t* agents,
                                                             const std::uint32_t* flags,
                                                             const void* pointer) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (count == 0 || agents == nullptr || flags != nullptr || pointer == nullptr) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  AgentSet set = 0;
  if (!all->topology.set_of(agents, count, set)) return HSA_STATUS_ERROR_INVALID_AGENT;
  return all->memory.allow(pointer, set);
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_pointer_info(const void* pointer,
                                                      hsa_amd_pointer_info_t* info,
                                                      void* (*allocate)(std::size_t),
                                                      std::uint32_t* count,
                                                      hsa_agent_t** accessible) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (pointer == nullptr || info == nullptr || info->size == 0) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  const auto found = all->memory.find(pointer);
  auto said = describe(all->topology, found.get());
  said.size = static_cast<std::uint32_t>(std::min<std::size_t>(info->size, sizeof said));
  std::memcpy(info, &said, said.size);
  if (allocate == nullptr || count == nullptr || accessible == nullptr) return HSA_STATUS_SUCCESS;
  const AgentSet set = found == nullptr ? 0 : all->memory.access_of(*found);
  return list_agents(all->topology, set, allocate, count, accessible);
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_memory_lock(void* host, std::size_t bytes,
                                                     hsa_agent_t* agents, int count,
                                                     void** agent_pointer) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (host == nullptr || bytes == 0 || agent_pointer == nullptr || count < 0 ||
      (agents == nullptr) != (count == 0)) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  *agent_pointer = nullptr;
  AgentSet set = 0;
  if (!agents_or_all(all->topology, agents, static_cast<std::size_t>(count), set)) {
    return HSA_STATUS_ERROR_INVALID_AGENT;
  }
  const auto status = all->memory.lock(host, bytes, set);
  if (status == HSA_STATUS_SUCCESS) *agent_pointer = host;
  return status;
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_memory_unlock(void* host) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  return all->memory.unlock(host);
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_ipc_memory_create(void* base, std::size_t bytes,
                                                           hsa_amd_ipc_memory_t* handle) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (base == nullptr || bytes == 0 || handle == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return all->memory.export_to(base, bytes, *handle);
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t* handle,
                                                           std::size_t bytes, std::uint32_t count,
                                                           const hsa_agent_t* agents,
                                                           void** pointer) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (handle == nullptr || bytes == 0 || pointer == nullptr) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  AgentSet set = 0;
  if (!agents_or_all(all->topology, agents, count, set)) return HSA_STATUS_ERROR_INVALID_AGENT;
  return all->memory.import(*handle, bytes, set, pointer);
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_ipc_memory_detach(void* pointer) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  return all->memory.detach(pointer);
}

}  // namespace conccl::test::fake_hsa
