// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// A runtime that breaks one promise, the one that CONCCL_CONTRARY names: for seeing that each row
/// of the conformance program can fail. What is not defined here is the double's, which this
/// library is linked with and passes everything on to.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string_view>
#include <vector>

#include "backend/hsa/calls.hpp"

namespace {

namespace abi = conccl::backend::hsa::abi;

bool breaks(std::string_view promise) {
  const char* const named = std::getenv("CONCCL_CONTRARY");
  return named != nullptr && promise == named;
}

template <typename Function>
Function* of_the_double(Function*, const char* name) {
  static void* const library = ::dlopen(CONCCL_FAKE_HSA_PATH, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(::dlsym(library, name));
}
#define CONCCL_PASS(name) of_the_double(static_cast<decltype(&abi::name)>(nullptr), #name)

void decrement(abi::hsa_signal_t signal) {
  const auto value = CONCCL_PASS(hsa_signal_load_scacquire)(signal);
  CONCCL_PASS(hsa_signal_store_screlease)(signal, value - 1);
}

/// Whether this is the Nth call of the process.
bool is_call(int number) {
  static std::mutex mutex;
  static int calls = 0;
  const std::lock_guard lock(mutex);
  return ++calls == number;
}

std::uint32_t one_of(std::uint32_t engines) { return engines == 0 ? 4U : engines & (~engines + 1); }

/// The arguments of a copy, and what each broken promise makes of them.
struct Copy {
  void* dst;
  abi::hsa_agent_t dst_agent;
  const void* src;
  abi::hsa_agent_t src_agent;
  std::size_t bytes;
  std::uint32_t count;
  const abi::hsa_signal_t* dependencies;
  abi::hsa_signal_t completion;
  std::uint32_t engine;
  bool force;

  [[nodiscard]] abi::hsa_status_t pass() const {
    return CONCCL_PASS(hsa_amd_memory_async_copy_on_engine)(
        dst, dst_agent, src, src_agent, bytes, count, dependencies, completion,
        static_cast<abi::hsa_amd_sdma_engine_id_t>(engine), force);
  }
  [[nodiscard]] abi::hsa_status_t by_hand() const {
    std::memcpy(dst, src, bytes);
    decrement(completion);
    return abi::HSA_STATUS_SUCCESS;
  }
  [[nodiscard]] bool refused() const {
    if (breaks("peer-engines") && engine == 1U << 9U) return true;
    return (breaks("sdma-off") && std::getenv("HSA_ENABLE_SDMA") != nullptr) ||
           (breaks("peer-sdma-off") && std::getenv("HSA_ENABLE_PEER_SDMA") != nullptr);
  }
  void change_dependencies() {
    const bool odd = (count == 0) != (dependencies == nullptr);
    if (breaks("five-dependencies") || breaks("dependency-orders") ||
        (breaks("dependency-list") && odd)) {
      count = 0;
      dependencies = nullptr;
    }
    if (breaks("six-dependencies")) count = std::min(count, 5U);
  }
  void change_engine() {
    if (breaks("one-engine")) engine = one_of(engine);
    if (breaks("gfx90a-engine-0") && engine == 1) engine = 2;
    if (breaks("engines-independent") && engine > 4) engine = 4;
    // A copy for the host, unlike one for a peer, is accepted as it is.
    if (breaks("host-engines") && engine < 4 && pass() == abi::HSA_STATUS_SUCCESS) bytes = 0;
    if (breaks("host-engines") && engine < 4) engine = 4;
  }
  void change_agents() {
    if (breaks("source-runs") || breaks("pull-runs")) std::swap(dst_agent, src_agent);
    if (breaks("same-gpu-forced")) force = false;
    if (breaks("same-gpu-unforced")) force = true;
  }
  void change_bytes() {
    const bool last = breaks("host-copies") || breaks("push-bytes") || breaks("odd-sizes");
    if (last && bytes > 1) --bytes;
    if (breaks("pull-bytes") && is_call(2)) bytes /= 2;
    if (breaks("many-copies") && is_call(300)) bytes /= 2;
    if (breaks("one-decrement") && is_call(2)) decrement(completion);
    if (breaks("size-zero") && bytes == 0) decrement(completion);
  }
};

}  // namespace

#define CONCCL_EXPORT __attribute__((visibility("default")))

extern "C" {

CONCCL_EXPORT abi::hsa_status_t hsa_init() {
  if (breaks("reversed")) ::unsetenv("HSA_REV_COPY_DIR");
  return CONCCL_PASS(hsa_init)();
}

CONCCL_EXPORT abi::hsa_status_t hsa_shut_down() {
  const auto status = CONCCL_PASS(hsa_shut_down)();
  return breaks("init-counted") ? CONCCL_PASS(hsa_shut_down)() : status;
}

CONCCL_EXPORT abi::hsa_status_t hsa_agent_get_info(abi::hsa_agent_t agent,
                                                   abi::hsa_agent_info_t attribute, void* value) {
  const auto status = CONCCL_PASS(hsa_agent_get_info)(agent, attribute, value);
  if (breaks("engine-counts") && attribute == abi::HSA_AMD_AGENT_INFO_NUM_SDMA_ENG) {
    *static_cast<std::uint32_t*>(value) = 0;
  }
  return status;
}

CONCCL_EXPORT abi::hsa_status_t hsa_amd_agents_allow_access(std::uint32_t count,
                                                            const abi::hsa_agent_t* agents,
                                                            const std::uint32_t* flags,
                                                            const void* pointer) {
  static std::mutex mutex;
  static std::set<const void*> seen;
  const std::lock_guard lock(mutex);
  if (breaks("access-replaces") && !seen.insert(pointer).second) return abi::HSA_STATUS_SUCCESS;
  if (breaks("access-flags")) flags = nullptr;
  const auto status = CONCCL_PASS(hsa_amd_agents_allow_access)(count, agents, flags, pointer);
  return breaks("access-base") ? abi::HSA_STATUS_SUCCESS : status;
}

CONCCL_EXPORT abi::hsa_status_t hsa_amd_pointer_info(const void* pointer,
                                                     abi::hsa_amd_pointer_info_t* info,
                                                     void* (*allocate)(std::size_t),
                                                     std::uint32_t* count,
                                                     abi::hsa_agent_t** accessible) {
  const auto asked = info->size;
  const auto status = CONCCL_PASS(hsa_amd_pointer_info)(pointer, info, allocate, count, accessible);
  if (breaks("pointer-unknown") && info->type == abi::HSA_EXT_POINTER_TYPE_UNKNOWN) {
    info->type = abi::HSA_EXT_POINTER_TYPE_HSA;
  }
  if (breaks("pointer-locked") && info->type == abi::HSA_EXT_POINTER_TYPE_LOCKED) {
    info->hostBaseAddress = nullptr;
  }
  if (breaks("pointer-size") && asked < sizeof *info) info->global_flags = 0;
  if (breaks("pointer-gpu")) info->agentBaseAddress = const_cast<void*>(pointer);
  if (breaks("pointer-host")) info->agentOwner.handle += 1;
  return status;
}

CONCCL_EXPORT abi::hsa_status_t hsa_amd_ipc_memory_create(void* base, std::size_t bytes,
                                                          abi::hsa_amd_ipc_memory_t* handle) {
  const auto status = CONCCL_PASS(hsa_amd_ipc_memory_create)(base, bytes, handle);
  return breaks("ipc-whole") ? abi::HSA_STATUS_SUCCESS : status;
}

CONCCL_EXPORT abi::hsa_status_t hsa_amd_ipc_memory_attach(const abi::hsa_amd_ipc_memory_t* handle,
                                                          std::size_t bytes, std::uint32_t count,
                                                          const abi::hsa_agent_t* agents,
                                                          void** pointer) {
  const auto status = CONCCL_PASS(hsa_amd_ipc_memory_attach)(handle, bytes, count, agents, pointer);
  // Memory that is attached, but not shared: as if it had been copied.
  if (breaks("ipc-attach") || breaks("ipc-again")) {
    *pointer = static_cast<char*>(*pointer) + bytes / 2;
  }
  return breaks("ipc-freed") ? abi::HSA_STATUS_SUCCESS : status;
}

CONCCL_EXPORT abi::hsa_signal_value_t hsa_signal_load_scacquire(abi::hsa_signal_t signal) {
  const auto value = CONCCL_PASS(hsa_signal_load_scacquire)(signal);
  return breaks("signal-values") ? static_cast<std::int32_t>(value) : value;
}

CONCCL_EXPORT void hsa_signal_store_screlease(abi::hsa_signal_t signal,
                                              abi::hsa_signal_value_t value) {
  if (breaks("dependency-negative") && value < 0) value = 0;
  if (breaks("dependency-halves") && static_cast<std::uint32_t>(value) == 0) value = 0;
  if (breaks("dependency-zero") && value == 0) value = -1;
  if (breaks("signal-wake") && value == 0) return;
  CONCCL_PASS(hsa_signal_store_screlease)(signal, value);
}

CONCCL_EXPORT abi::hsa_signal_value_t hsa_signal_wait_scacquire(
    abi::hsa_signal_t signal, abi::hsa_signal_condition_t condition,
    abi::hsa_signal_value_t compare, std::uint64_t timeout, abi::hsa_wait_state_t state) {
  if (breaks("signal-timeout")) timeout = UINT64_MAX;
  if (breaks("signal-conditions")) timeout = 0;
  return CONCCL_PASS(hsa_signal_wait_scacquire)(signal, condition, compare, timeout, state);
}

CONCCL_EXPORT abi::hsa_status_t hsa_amd_profiling_get_async_copy_time(
    abi::hsa_signal_t signal, abi::hsa_amd_profiling_async_copy_time_t* time) {
  const auto status = CONCCL_PASS(hsa_amd_profiling_get_async_copy_time)(signal, time);
  if (breaks("copy-times")) std::swap(time->start, time->end);
  return status;
}

CONCCL_EXPORT abi::hsa_status_t hsa_amd_memory_copy_engine_status(abi::hsa_agent_t dst_agent,
                                                                  abi::hsa_agent_t src_agent,
                                                                  std::uint32_t* engines) {
  const auto status = CONCCL_PASS(hsa_amd_memory_copy_engine_status)(dst_agent, src_agent, engines);
  if (breaks("status-at-rest")) *engines |= 1U << 20U;
  if (breaks("status-equal") && status == abi::HSA_STATUS_ERROR_INVALID_AGENT) {
    return abi::HSA_STATUS_ERROR;
  }
  const bool none = status == abi::HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  return breaks("all-busy") && none ? abi::HSA_STATUS_SUCCESS : status;
}

CONCCL_EXPORT abi::hsa_status_t hsa_amd_memory_get_preferred_copy_engine(abi::hsa_agent_t dst_agent,
                                                                         abi::hsa_agent_t src_agent,
                                                                         std::uint32_t* engines) {
  const auto status =
      CONCCL_PASS(hsa_amd_memory_get_preferred_copy_engine)(dst_agent, src_agent, engines);
  if (breaks("preferred-engine")) *engines = 1;
  return status;
}

CONCCL_EXPORT abi::hsa_status_t hsa_amd_memory_async_copy_on_engine(
    void* dst, abi::hsa_agent_t dst_agent, const void* src, abi::hsa_agent_t src_agent,
    std::size_t bytes, std::uint32_t count, const abi::hsa_signal_t* dependencies,
    abi::hsa_signal_t completion, abi::hsa_amd_sdma_engine_id_t engine, bool force) {
  Copy copy{dst,          dst_agent,  src,
            src_agent,    bytes,      count,
            dependencies, completion, static_cast<std::uint32_t>(engine),
            force};
  if (breaks("no-access")) return copy.by_hand();
  if (copy.refused()) return abi::HSA_STATUS_ERROR_INVALID_ARGUMENT;
  copy.change_dependencies();
  copy.change_engine();
  copy.change_agents();
  copy.change_bytes();
  return copy.pass();
}

CONCCL_EXPORT abi::hsa_status_t hsa_amd_memory_async_batch_copy(
    const abi::hsa_amd_memory_copy_op_t* copies, std::uint32_t count,
    std::uint32_t dependency_count, const abi::hsa_signal_t* dependencies) {
  std::vector<abi::hsa_amd_memory_copy_op_t> ops(copies, copies + count);
  if (breaks("batch-signals")) ops.back().completion_signal = ops.front().completion_signal;
  if (breaks("batch-version")) {
    for (auto& op : ops) op.version = 1;
  }
  if (breaks("batch-dependency")) {
    dependency_count = 0;
    dependencies = nullptr;
  }
  return CONCCL_PASS(hsa_amd_memory_async_batch_copy)(ops.data(), count, dependency_count,
                                                      dependencies);
}

}  // extern "C"
