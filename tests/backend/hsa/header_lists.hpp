// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What of backend/hsa/abi.hpp is compared with the vendor's header.
#pragma once

/// Types, of any release.
#define CONCCL_HSA_TYPES(X)              \
  X(hsa_status_t)                        \
  X(hsa_system_info_t)                   \
  X(hsa_device_type_t)                   \
  X(hsa_agent_info_t)                    \
  X(hsa_signal_condition_t)              \
  X(hsa_wait_state_t)                    \
  X(hsa_amd_segment_t)                   \
  X(hsa_amd_memory_pool_global_flag_t)   \
  X(hsa_amd_memory_pool_info_t)          \
  X(hsa_amd_agent_memory_pool_info_t)    \
  X(hsa_amd_memory_pool_access_t)        \
  X(hsa_amd_link_info_type_t)            \
  X(hsa_amd_pointer_type_t)              \
  X(hsa_amd_event_type_t)                \
  X(hsa_amd_queue_priority_t)            \
  X(hsa_packet_type_t)                   \
  X(hsa_fence_scope_t)                   \
  X(hsa_packet_header_t)                 \
  X(hsa_profile_t)                       \
  X(hsa_default_float_rounding_mode_t)   \
  X(hsa_executable_symbol_info_t)        \
  X(hsa_agent_t)                         \
  X(hsa_signal_t)                        \
  X(hsa_amd_memory_pool_t)               \
  X(hsa_code_object_reader_t)            \
  X(hsa_executable_t)                    \
  X(hsa_executable_symbol_t)             \
  X(hsa_loaded_code_object_t)            \
  X(hsa_amd_memory_pool_link_info_t)     \
  X(hsa_amd_pointer_info_t)              \
  X(hsa_amd_ipc_memory_t)                \
  X(hsa_amd_gpu_memory_fault_info_t)     \
  X(hsa_amd_event_t)                     \
  X(hsa_amd_profiling_async_copy_time_t) \
  X(hsa_amd_profiling_dispatch_time_t)   \
  X(hsa_queue_t)                         \
  X(hsa_kernel_dispatch_packet_t)        \
  X(hsa_barrier_and_packet_t)

#define CONCCL_HSA_MEMBERS(X)                              \
  X(hsa_agent_t, handle)                                   \
  X(hsa_signal_t, handle)                                  \
  X(hsa_amd_memory_pool_t, handle)                         \
  X(hsa_code_object_reader_t, handle)                      \
  X(hsa_executable_t, handle)                              \
  X(hsa_executable_symbol_t, handle)                       \
  X(hsa_loaded_code_object_t, handle)                      \
  X(hsa_amd_memory_pool_link_info_t, min_latency)          \
  X(hsa_amd_memory_pool_link_info_t, max_latency)          \
  X(hsa_amd_memory_pool_link_info_t, min_bandwidth)        \
  X(hsa_amd_memory_pool_link_info_t, max_bandwidth)        \
  X(hsa_amd_memory_pool_link_info_t, atomic_support_32bit) \
  X(hsa_amd_memory_pool_link_info_t, atomic_support_64bit) \
  X(hsa_amd_memory_pool_link_info_t, coherent_support)     \
  X(hsa_amd_memory_pool_link_info_t, link_type)            \
  X(hsa_amd_memory_pool_link_info_t, numa_distance)        \
  X(hsa_amd_pointer_info_t, size)                          \
  X(hsa_amd_pointer_info_t, type)                          \
  X(hsa_amd_pointer_info_t, agentBaseAddress)              \
  X(hsa_amd_pointer_info_t, hostBaseAddress)               \
  X(hsa_amd_pointer_info_t, sizeInBytes)                   \
  X(hsa_amd_pointer_info_t, userData)                      \
  X(hsa_amd_pointer_info_t, agentOwner)                    \
  X(hsa_amd_pointer_info_t, global_flags)                  \
  X(hsa_amd_ipc_memory_t, handle)                          \
  X(hsa_amd_gpu_memory_fault_info_t, agent)                \
  X(hsa_amd_gpu_memory_fault_info_t, virtual_address)      \
  X(hsa_amd_gpu_memory_fault_info_t, fault_reason_mask)    \
  X(hsa_amd_event_t, event_type)                           \
  X(hsa_amd_event_t, memory_fault)                         \
  X(hsa_amd_profiling_async_copy_time_t, start)            \
  X(hsa_amd_profiling_async_copy_time_t, end)              \
  X(hsa_amd_profiling_dispatch_time_t, start)              \
  X(hsa_amd_profiling_dispatch_time_t, end)                \
  X(hsa_queue_t, type)                                     \
  X(hsa_queue_t, features)                                 \
  X(hsa_queue_t, base_address)                             \
  X(hsa_queue_t, doorbell_signal)                          \
  X(hsa_queue_t, size)                                     \
  X(hsa_queue_t, reserved1)                                \
  X(hsa_queue_t, id)                                       \
  X(hsa_kernel_dispatch_packet_t, header)                  \
  X(hsa_kernel_dispatch_packet_t, setup)                   \
  X(hsa_kernel_dispatch_packet_t, workgroup_size_x)        \
  X(hsa_kernel_dispatch_packet_t, workgroup_size_y)        \
  X(hsa_kernel_dispatch_packet_t, workgroup_size_z)        \
  X(hsa_kernel_dispatch_packet_t, reserved0)               \
  X(hsa_kernel_dispatch_packet_t, grid_size_x)             \
  X(hsa_kernel_dispatch_packet_t, grid_size_y)             \
  X(hsa_kernel_dispatch_packet_t, grid_size_z)             \
  X(hsa_kernel_dispatch_packet_t, private_segment_size)    \
  X(hsa_kernel_dispatch_packet_t, group_segment_size)      \
  X(hsa_kernel_dispatch_packet_t, kernel_object)           \
  X(hsa_kernel_dispatch_packet_t, kernarg_address)         \
  X(hsa_kernel_dispatch_packet_t, reserved2)               \
  X(hsa_kernel_dispatch_packet_t, completion_signal)       \
  X(hsa_barrier_and_packet_t, header)                      \
  X(hsa_barrier_and_packet_t, reserved0)                   \
  X(hsa_barrier_and_packet_t, reserved1)                   \
  X(hsa_barrier_and_packet_t, dep_signal)                  \
  X(hsa_barrier_and_packet_t, reserved2)                   \
  X(hsa_barrier_and_packet_t, completion_signal)

/// Of any release.
#define CONCCL_HSA_CONSTANTS(X)                             \
  X(HSA_STATUS_SUCCESS)                                     \
  X(HSA_STATUS_INFO_BREAK)                                  \
  X(HSA_STATUS_ERROR_INVALID_MEMORY_POOL)                   \
  X(HSA_STATUS_ERROR_MEMORY_FAULT)                          \
  X(HSA_STATUS_CU_MASK_REDUCED)                             \
  X(HSA_STATUS_ERROR)                                       \
  X(HSA_STATUS_ERROR_INVALID_ARGUMENT)                      \
  X(HSA_STATUS_ERROR_INVALID_QUEUE_CREATION)                \
  X(HSA_STATUS_ERROR_INVALID_ALLOCATION)                    \
  X(HSA_STATUS_ERROR_INVALID_AGENT)                         \
  X(HSA_STATUS_ERROR_INVALID_SIGNAL)                        \
  X(HSA_STATUS_ERROR_INVALID_QUEUE)                         \
  X(HSA_STATUS_ERROR_OUT_OF_RESOURCES)                      \
  X(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT)                 \
  X(HSA_STATUS_ERROR_NOT_INITIALIZED)                       \
  X(HSA_STATUS_ERROR_INVALID_CODE_OBJECT)                   \
  X(HSA_STATUS_ERROR_INVALID_EXECUTABLE)                    \
  X(HSA_STATUS_ERROR_FROZEN_EXECUTABLE)                     \
  X(HSA_STATUS_ERROR_INVALID_SYMBOL_NAME)                   \
  X(HSA_STATUS_ERROR_EXCEPTION)                             \
  X(HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL)             \
  X(HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER)            \
  X(HSA_SYSTEM_INFO_VERSION_MAJOR)                          \
  X(HSA_SYSTEM_INFO_VERSION_MINOR)                          \
  X(HSA_SYSTEM_INFO_TIMESTAMP)                              \
  X(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY)                    \
  X(HSA_DEVICE_TYPE_CPU)                                    \
  X(HSA_DEVICE_TYPE_GPU)                                    \
  X(HSA_AGENT_INFO_NAME)                                    \
  X(HSA_AGENT_INFO_QUEUE_MIN_SIZE)                          \
  X(HSA_AGENT_INFO_QUEUE_MAX_SIZE)                          \
  X(HSA_AGENT_INFO_DEVICE)                                  \
  X(HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT)                  \
  X(HSA_AMD_AGENT_INFO_DRIVER_NODE_ID)                      \
  X(HSA_AMD_AGENT_INFO_BDFID)                               \
  X(HSA_AMD_AGENT_INFO_MEMORY_WIDTH)                        \
  X(HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY)                \
  X(HSA_AMD_AGENT_INFO_PRODUCT_NAME)                        \
  X(HSA_AMD_AGENT_INFO_DOMAIN)                              \
  X(HSA_AMD_AGENT_INFO_UUID)                                \
  X(HSA_SIGNAL_CONDITION_EQ)                                \
  X(HSA_SIGNAL_CONDITION_NE)                                \
  X(HSA_SIGNAL_CONDITION_LT)                                \
  X(HSA_SIGNAL_CONDITION_GTE)                               \
  X(HSA_WAIT_STATE_BLOCKED)                                 \
  X(HSA_WAIT_STATE_ACTIVE)                                  \
  X(HSA_AMD_SEGMENT_GLOBAL)                                 \
  X(HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)           \
  X(HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED)           \
  X(HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED)         \
  X(HSA_AMD_MEMORY_POOL_INFO_SEGMENT)                       \
  X(HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS)                  \
  X(HSA_AMD_MEMORY_POOL_INFO_SIZE)                          \
  X(HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED)         \
  X(HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS)                  \
  X(HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS)           \
  X(HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO)               \
  X(HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED)               \
  X(HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT)          \
  X(HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT)       \
  X(HSA_AMD_LINK_INFO_TYPE_PCIE)                            \
  X(HSA_AMD_LINK_INFO_TYPE_XGMI)                            \
  X(HSA_EXT_POINTER_TYPE_UNKNOWN)                           \
  X(HSA_EXT_POINTER_TYPE_HSA)                               \
  X(HSA_EXT_POINTER_TYPE_LOCKED)                            \
  X(HSA_EXT_POINTER_TYPE_GRAPHICS)                          \
  X(HSA_EXT_POINTER_TYPE_IPC)                               \
  X(HSA_AMD_GPU_MEMORY_FAULT_EVENT)                         \
  X(HSA_AMD_QUEUE_PRIORITY_LOW)                             \
  X(HSA_AMD_QUEUE_PRIORITY_NORMAL)                          \
  X(HSA_AMD_QUEUE_PRIORITY_HIGH)                            \
  X(HSA_PACKET_TYPE_INVALID)                                \
  X(HSA_PACKET_TYPE_KERNEL_DISPATCH)                        \
  X(HSA_PACKET_TYPE_BARRIER_AND)                            \
  X(HSA_FENCE_SCOPE_NONE)                                   \
  X(HSA_FENCE_SCOPE_AGENT)                                  \
  X(HSA_FENCE_SCOPE_SYSTEM)                                 \
  X(HSA_PACKET_HEADER_TYPE)                                 \
  X(HSA_PACKET_HEADER_BARRIER)                              \
  X(HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE)                \
  X(HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE)                \
  X(HSA_PROFILE_BASE)                                       \
  X(HSA_PROFILE_FULL)                                       \
  X(HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT)                \
  X(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE) \
  X(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE)   \
  X(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE) \
  X(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT)               \
  X(HSA_QUEUE_TYPE_MULTI)                                   \
  X(HSA_QUEUE_TYPE_SINGLE)

/// Of newer releases only.
#define CONCCL_HSA_NEWER_CONSTANTS(X)     \
  X(HSA_AMD_AGENT_INFO_NUM_SDMA_ENG)      \
  X(HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG) \
  X(HSA_AMD_MEMORY_COPY_OP_LINEAR)
