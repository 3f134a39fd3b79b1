// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fakes/hsa/test/opened.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace conccl::test::fake_hsa {
namespace {

template <typename Handle>
hsa_status_t collect(Handle handle, void* list) {
  static_cast<std::vector<Handle>*>(list)->push_back(handle);
  return HSA_STATUS_SUCCESS;
}

void demand(hsa_status_t status, const char* what) {
  if (status != HSA_STATUS_SUCCESS) throw std::runtime_error(what);
}

}  // namespace

backend::hsa::Calls find_calls(void* library) {
  backend::hsa::Calls calls;
#define CONCCL_FIND(name) \
  calls.name = reinterpret_cast<decltype(calls.name)>(::dlsym(library, #name));
  CONCCL_HSA_CALLS(CONCCL_FIND)
  CONCCL_HSA_ENGINE_CALLS(CONCCL_FIND)
  CONCCL_HSA_KERNEL_CALLS(CONCCL_FIND)
  CONCCL_HSA_OPTIONAL_CALLS(CONCCL_FIND)
#undef CONCCL_FIND
  return calls;
}

void Opened::open() {
  demand(calls.hsa_init(), "hsa_init");
  open_ = true;
  std::vector<hsa_agent_t> agents;
  demand(calls.hsa_iterate_agents(collect<hsa_agent_t>, &agents), "hsa_iterate_agents");
  gpus.clear();
  cpus.clear();
  for (const auto agent : agents) {
    hsa_device_type_t type{};
    demand(calls.hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type), "device type");
    (type == HSA_DEVICE_TYPE_GPU ? gpus : cpus).push_back(agent);
  }
}

void Opened::close() {
  if (!open_) return;
  open_ = false;
  for (const auto one : signals_) calls.hsa_signal_destroy(one);
  for (auto* const base : memory_) calls.hsa_amd_memory_pool_free(base);
  signals_.clear();
  memory_.clear();
  calls.hsa_shut_down();
}

hsa_amd_memory_pool_t Opened::pool(hsa_agent_t agent, std::uint32_t flags) {
  std::vector<hsa_amd_memory_pool_t> pools;
  demand(calls.hsa_amd_agent_iterate_memory_pools(agent, collect<hsa_amd_memory_pool_t>, &pools),
         "pools");
  for (const auto one : pools) {
    std::uint32_t found = 0;
    const auto status =
        calls.hsa_amd_memory_pool_get_info(one, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &found);
    if (status == HSA_STATUS_SUCCESS && found == flags) return one;
  }
  throw std::runtime_error("no such pool");
}

unsigned char* Opened::device_memory(int gpu, std::size_t bytes, unsigned char value) {
  void* base = nullptr;
  const auto from =
      pool(gpus.at(static_cast<std::size_t>(gpu)), HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
  demand(calls.hsa_amd_memory_pool_allocate(from, bytes, 0, &base), "allocate");
  memory_.push_back(base);
  grant(base, gpus);
  std::memset(base, value, bytes);
  return static_cast<unsigned char*>(base);
}

void* Opened::host_memory(std::size_t bytes) {
  void* base = nullptr;
  const auto from = pool(cpus.at(0), HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED |
                                         HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT);
  demand(calls.hsa_amd_memory_pool_allocate(from, bytes, 0, &base), "allocate");
  memory_.push_back(base);
  grant(base, gpus);
  return base;
}

void Opened::grant(const void* base, const std::vector<hsa_agent_t>& agents) {
  demand(calls.hsa_amd_agents_allow_access(static_cast<std::uint32_t>(agents.size()), agents.data(),
                                           nullptr, base),
         "grant");
}

hsa_signal_t Opened::signal(std::int64_t value) {
  hsa_signal_t made{};
  demand(calls.hsa_signal_create(value, 0, nullptr, &made), "signal");
  signals_.push_back(made);
  return made;
}

void Opened::leave(hsa_signal_t signal) {
  std::erase_if(signals_, [&](hsa_signal_t one) { return one.handle == signal.handle; });
}

hsa_status_t Opened::copy(const Asked& asked) {
  return calls.hsa_amd_memory_async_copy_on_engine(
      asked.dst, gpus.at(static_cast<std::size_t>(asked.dst_gpu)), asked.src,
      gpus.at(static_cast<std::size_t>(asked.src_gpu)), asked.bytes,
      static_cast<std::uint32_t>(asked.dependencies.size()),
      asked.dependencies.empty() ? nullptr : asked.dependencies.data(), asked.completion,
      static_cast<hsa_amd_sdma_engine_id_t>(asked.engine), asked.forced);
}

std::int64_t Opened::wait(hsa_signal_t signal, std::uint64_t milliseconds) {
  return calls.hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1,
                                         milliseconds * kTicksPerMillisecond,
                                         HSA_WAIT_STATE_BLOCKED);
}

hsa_status_t note_event(const hsa_amd_event_t* event, void* events) {
  auto& noted = *static_cast<Events*>(events);
  noted.address = event->memory_fault.virtual_address;
  noted.agent = event->memory_fault.agent.handle;
  ++noted.seen;
  return HSA_STATUS_SUCCESS;
}

}  // namespace conccl::test::fake_hsa
