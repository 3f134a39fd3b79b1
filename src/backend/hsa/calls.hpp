// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The calls of the HSA runtime that this backend uses, and the table that holds them.
#pragma once

#include "backend/hsa/abi.hpp"

namespace conccl::backend::hsa {

namespace abi {

// NOLINTBEGIN(readability-identifier-naming,readability-redundant-declaration): the vendor's names.
// Declared for their types alone, defined nowhere: nothing of the runtime is linked.

hsa_status_t hsa_init();
hsa_status_t hsa_shut_down();
hsa_status_t hsa_status_string(hsa_status_t status, const char** text);
hsa_status_t hsa_system_get_info(hsa_system_info_t attribute, void* value);
hsa_status_t hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t agent, void* data),
                                void* data);
hsa_status_t hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute, void* value);

hsa_status_t hsa_amd_agent_iterate_memory_pools(hsa_agent_t agent,
                                                hsa_status_t (*callback)(hsa_amd_memory_pool_t pool,
                                                                         void* data),
                                                void* data);
hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t pool,
                                          hsa_amd_memory_pool_info_t attribute, void* value);
hsa_status_t hsa_amd_agent_memory_pool_get_info(hsa_agent_t agent, hsa_amd_memory_pool_t pool,
                                                hsa_amd_agent_memory_pool_info_t attribute,
                                                void* value);
hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t pool, std::size_t bytes,
                                          std::uint32_t flags, void** pointer);
hsa_status_t hsa_amd_memory_pool_free(void* pointer);
/// Replaces the list of agents that reach the allocation whose base `pointer` is; `flags` is null.
hsa_status_t hsa_amd_agents_allow_access(std::uint32_t count, const hsa_agent_t* agents,
                                         const std::uint32_t* flags, const void* pointer);
hsa_status_t hsa_amd_pointer_info(const void* pointer, hsa_amd_pointer_info_t* info,
                                  void* (*allocate)(std::size_t), std::uint32_t* count,
                                  hsa_agent_t** accessible);
/// Makes host memory reachable by the agents, at `*agent_pointer`.
hsa_status_t hsa_amd_memory_lock(void* host, std::size_t bytes, hsa_agent_t* agents, int count,
                                 void** agent_pointer);
hsa_status_t hsa_amd_memory_unlock(void* host);
/// The callback comes when the allocation at `base` is freed.
hsa_status_t hsa_amd_register_deallocation_callback(void* base,
                                                    void (*callback)(void* base, void* data),
                                                    void* data);
hsa_status_t hsa_amd_ipc_memory_create(void* base, std::size_t bytes, hsa_amd_ipc_memory_t* handle);
hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t* handle, std::size_t bytes,
                                       std::uint32_t count, const hsa_agent_t* agents,
                                       void** pointer);
hsa_status_t hsa_amd_ipc_memory_detach(void* pointer);

hsa_status_t hsa_signal_create(hsa_signal_value_t initial, std::uint32_t count,
                               const hsa_agent_t* consumers, hsa_signal_t* signal);
hsa_status_t hsa_signal_destroy(hsa_signal_t signal);
hsa_signal_value_t hsa_signal_load_scacquire(hsa_signal_t signal);
void hsa_signal_store_screlease(hsa_signal_t signal, hsa_signal_value_t value);
/// The value on return need not satisfy the condition: the timeout is a hint, in ticks.
hsa_signal_value_t hsa_signal_wait_scacquire(hsa_signal_t signal, hsa_signal_condition_t condition,
                                             hsa_signal_value_t compare, std::uint64_t timeout,
                                             hsa_wait_state_t state);

hsa_status_t hsa_amd_register_system_event_handler(
    hsa_status_t (*callback)(const hsa_amd_event_t* event, void* data), void* data);
hsa_status_t hsa_amd_profiling_async_copy_enable(bool enable);
hsa_status_t hsa_amd_profiling_get_async_copy_time(hsa_signal_t signal,
                                                   hsa_amd_profiling_async_copy_time_t* time);

/// ROCm 5.6. The GPU of the source runs the copy where that is one, else that of the destination.
hsa_status_t hsa_amd_memory_async_copy_on_engine(
    void* dst, hsa_agent_t dst_agent, const void* src, hsa_agent_t src_agent, std::size_t bytes,
    std::uint32_t dependency_count, const hsa_signal_t* dependencies, hsa_signal_t completion,
    hsa_amd_sdma_engine_id_t engine, bool force_copy_on_sdma);
/// ROCm 5.6. Which engines are idle now. The destination comes first.
hsa_status_t hsa_amd_memory_copy_engine_status(hsa_agent_t dst_agent, hsa_agent_t src_agent,
                                               std::uint32_t* engines);
/// 2025 (ROCm 7.0). 0: none is recommended. The destination comes first.
hsa_status_t hsa_amd_memory_get_preferred_copy_engine(hsa_agent_t dst_agent, hsa_agent_t src_agent,
                                                      std::uint32_t* engines);
/// 2026.
hsa_status_t hsa_amd_memory_async_batch_copy(const hsa_amd_memory_copy_op_t* copies,
                                             std::uint32_t count, std::uint32_t dependency_count,
                                             const hsa_signal_t* dependencies);

hsa_status_t hsa_queue_create(hsa_agent_t agent, std::uint32_t size, hsa_queue_type32_t type,
                              void (*callback)(hsa_status_t status, hsa_queue_t* source,
                                               void* data),
                              void* data, std::uint32_t private_bytes, std::uint32_t group_bytes,
                              hsa_queue_t** queue);
hsa_status_t hsa_queue_destroy(hsa_queue_t* queue);
std::uint64_t hsa_queue_load_read_index_scacquire(const hsa_queue_t* queue);
std::uint64_t hsa_queue_load_write_index_relaxed(const hsa_queue_t* queue);
void hsa_queue_store_write_index_screlease(const hsa_queue_t* queue, std::uint64_t value);
/// `bits` is a multiple of 32.
hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t* queue, std::uint32_t bits,
                                       const std::uint32_t* mask);
hsa_status_t hsa_amd_queue_cu_get_mask(const hsa_queue_t* queue, std::uint32_t bits,
                                       std::uint32_t* mask);
hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t* queue, hsa_amd_queue_priority_t priority);
hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t* queue, int enable);
hsa_status_t hsa_amd_profiling_get_dispatch_time(hsa_agent_t agent, hsa_signal_t signal,
                                                 hsa_amd_profiling_dispatch_time_t* time);
hsa_status_t hsa_code_object_reader_create_from_memory(const void* code, std::size_t bytes,
                                                       hsa_code_object_reader_t* reader);
hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t reader);
hsa_status_t hsa_executable_create_alt(hsa_profile_t profile,
                                       hsa_default_float_rounding_mode_t rounding,
                                       const char* options, hsa_executable_t* executable);
hsa_status_t hsa_executable_destroy(hsa_executable_t executable);
hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                                   hsa_code_object_reader_t reader,
                                                   const char* options,
                                                   hsa_loaded_code_object_t* loaded);
hsa_status_t hsa_executable_freeze(hsa_executable_t executable, const char* options);
hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t executable, const char* name,
                                               const hsa_agent_t* agent,
                                               hsa_executable_symbol_t* symbol);
hsa_status_t hsa_executable_symbol_get_info(hsa_executable_symbol_t symbol,
                                            hsa_executable_symbol_info_t attribute, void* value);

// NOLINTEND(readability-identifier-naming,readability-redundant-declaration)

}  // namespace abi

/// What the backend cannot move bytes without, and every release has.
#define CONCCL_HSA_CALLS(X)             \
  X(hsa_init)                           \
  X(hsa_shut_down)                      \
  X(hsa_status_string)                  \
  X(hsa_system_get_info)                \
  X(hsa_iterate_agents)                 \
  X(hsa_agent_get_info)                 \
  X(hsa_amd_agent_iterate_memory_pools) \
  X(hsa_amd_memory_pool_get_info)       \
  X(hsa_amd_agent_memory_pool_get_info) \
  X(hsa_amd_memory_pool_allocate)       \
  X(hsa_amd_memory_pool_free)           \
  X(hsa_amd_agents_allow_access)        \
  X(hsa_amd_pointer_info)               \
  X(hsa_amd_memory_lock)                \
  X(hsa_amd_memory_unlock)              \
  X(hsa_amd_ipc_memory_create)          \
  X(hsa_amd_ipc_memory_attach)          \
  X(hsa_amd_ipc_memory_detach)          \
  X(hsa_signal_create)                  \
  X(hsa_signal_destroy)                 \
  X(hsa_signal_load_scacquire)          \
  X(hsa_signal_store_screlease)         \
  X(hsa_signal_wait_scacquire)          \
  X(hsa_amd_register_system_event_handler)

/// What the backend cannot move bytes without, and releases before ROCm 5.6 lack.
#define CONCCL_HSA_ENGINE_CALLS(X) X(hsa_amd_memory_async_copy_on_engine)

/// Kernels need all of these.
#define CONCCL_HSA_KERNEL_CALLS(X)             \
  X(hsa_queue_create)                          \
  X(hsa_queue_destroy)                         \
  X(hsa_queue_load_read_index_scacquire)       \
  X(hsa_queue_load_write_index_relaxed)        \
  X(hsa_queue_store_write_index_screlease)     \
  X(hsa_amd_queue_cu_set_mask)                 \
  X(hsa_amd_queue_cu_get_mask)                 \
  X(hsa_amd_queue_set_priority)                \
  X(hsa_amd_profiling_set_profiler_enabled)    \
  X(hsa_amd_profiling_get_dispatch_time)       \
  X(hsa_code_object_reader_create_from_memory) \
  X(hsa_code_object_reader_destroy)            \
  X(hsa_executable_create_alt)                 \
  X(hsa_executable_destroy)                    \
  X(hsa_executable_load_agent_code_object)     \
  X(hsa_executable_freeze)                     \
  X(hsa_executable_get_symbol_by_name)         \
  X(hsa_executable_symbol_get_info)

/// Null where the release lacks them.
#define CONCCL_HSA_OPTIONAL_CALLS(X)          \
  X(hsa_amd_memory_copy_engine_status)        \
  X(hsa_amd_memory_get_preferred_copy_engine) \
  X(hsa_amd_memory_async_batch_copy)          \
  X(hsa_amd_profiling_async_copy_enable)      \
  X(hsa_amd_profiling_get_async_copy_time)    \
  X(hsa_amd_register_deallocation_callback)

// NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses): the vendor's names.
struct Calls {
#define CONCCL_MEMBER(name) decltype(&abi::name) name = nullptr;
  CONCCL_HSA_CALLS(CONCCL_MEMBER)
  CONCCL_HSA_ENGINE_CALLS(CONCCL_MEMBER)
  CONCCL_HSA_KERNEL_CALLS(CONCCL_MEMBER)
  CONCCL_HSA_OPTIONAL_CALLS(CONCCL_MEMBER)
#undef CONCCL_MEMBER
};
// NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)

}  // namespace conccl::backend::hsa
