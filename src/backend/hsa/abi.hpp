// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What this backend uses of the HSA runtime's binary interface, in the runtime's own names: types
/// and constants. Nothing of the vendor's is needed to build; a test compares all of this with the
/// vendor's header where that is installed, and prints what that header's release lacks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace conccl::backend::hsa::abi {

// NOLINTBEGIN(readability-identifier-naming,performance-enum-size): the vendor's names and sizes.

enum hsa_status_t : std::uint32_t {
  HSA_STATUS_SUCCESS = 0x0,
  HSA_STATUS_INFO_BREAK = 0x1,
  HSA_STATUS_ERROR_INVALID_MEMORY_POOL = 40,
  HSA_STATUS_ERROR_MEMORY_FAULT = 43,
  HSA_STATUS_CU_MASK_REDUCED = 44,
  HSA_STATUS_ERROR = 0x1000,
  HSA_STATUS_ERROR_INVALID_ARGUMENT = 0x1001,
  HSA_STATUS_ERROR_INVALID_QUEUE_CREATION = 0x1002,
  HSA_STATUS_ERROR_INVALID_ALLOCATION = 0x1003,
  HSA_STATUS_ERROR_INVALID_AGENT = 0x1004,
  HSA_STATUS_ERROR_INVALID_SIGNAL = 0x1006,
  HSA_STATUS_ERROR_INVALID_QUEUE = 0x1007,
  HSA_STATUS_ERROR_OUT_OF_RESOURCES = 0x1008,
  HSA_STATUS_ERROR_INVALID_PACKET_FORMAT = 0x1009,
  HSA_STATUS_ERROR_NOT_INITIALIZED = 0x100B,
  HSA_STATUS_ERROR_INVALID_CODE_OBJECT = 0x1010,
  HSA_STATUS_ERROR_INVALID_EXECUTABLE = 0x1011,
  HSA_STATUS_ERROR_FROZEN_EXECUTABLE = 0x1012,
  HSA_STATUS_ERROR_INVALID_SYMBOL_NAME = 0x1013,
  HSA_STATUS_ERROR_EXCEPTION = 0x1016,
  HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL = 0x1019,
  HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER = 0x1021,
};

struct hsa_agent_t {
  std::uint64_t handle;
};
struct hsa_signal_t {
  std::uint64_t handle;
};
struct hsa_amd_memory_pool_t {
  std::uint64_t handle;
};
struct hsa_code_object_reader_t {
  std::uint64_t handle;
};
struct hsa_executable_t {
  std::uint64_t handle;
};
struct hsa_executable_symbol_t {
  std::uint64_t handle;
};
struct hsa_loaded_code_object_t {
  std::uint64_t handle;
};
using hsa_signal_value_t = std::int64_t;

enum hsa_system_info_t : std::uint32_t {
  HSA_SYSTEM_INFO_VERSION_MAJOR = 0,
  HSA_SYSTEM_INFO_VERSION_MINOR = 1,
  HSA_SYSTEM_INFO_TIMESTAMP = 2,
  HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY = 3,
};

enum hsa_device_type_t : std::uint32_t { HSA_DEVICE_TYPE_CPU = 0, HSA_DEVICE_TYPE_GPU = 1 };

enum hsa_agent_info_t : std::uint32_t {
  HSA_AGENT_INFO_NAME = 0,
  HSA_AGENT_INFO_QUEUE_MIN_SIZE = 13,
  HSA_AGENT_INFO_QUEUE_MAX_SIZE = 14,
  HSA_AGENT_INFO_DEVICE = 17,
  HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT = 0xA002,
  HSA_AMD_AGENT_INFO_DRIVER_NODE_ID = 0xA004,
  HSA_AMD_AGENT_INFO_BDFID = 0xA006,
  HSA_AMD_AGENT_INFO_MEMORY_WIDTH = 0xA007,          ///< bits
  HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY = 0xA008,  ///< MHz
  HSA_AMD_AGENT_INFO_PRODUCT_NAME = 0xA009,          ///< 64 characters
  HSA_AMD_AGENT_INFO_DOMAIN = 0xA00F,
  HSA_AMD_AGENT_INFO_UUID = 0xA011,               ///< 21 characters: "GPU-" and 16 digits
  HSA_AMD_AGENT_INFO_NUM_SDMA_ENG = 0xA10A,       ///< ROCm 5.6
  HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG = 0xA10B,  ///< ROCm 5.6
};

enum hsa_signal_condition_t : std::uint32_t {
  HSA_SIGNAL_CONDITION_EQ = 0,
  HSA_SIGNAL_CONDITION_NE = 1,
  HSA_SIGNAL_CONDITION_LT = 2,
  HSA_SIGNAL_CONDITION_GTE = 3,
};
enum hsa_wait_state_t : std::uint32_t { HSA_WAIT_STATE_BLOCKED = 0, HSA_WAIT_STATE_ACTIVE = 1 };

enum hsa_amd_segment_t : std::uint32_t { HSA_AMD_SEGMENT_GLOBAL = 0 };
enum hsa_amd_memory_pool_global_flag_t : std::uint32_t {
  HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT = 1,
  HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED = 2,
  HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED = 4,
};
enum hsa_amd_memory_pool_info_t : std::uint32_t {
  HSA_AMD_MEMORY_POOL_INFO_SEGMENT = 0,
  HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS = 1,
  HSA_AMD_MEMORY_POOL_INFO_SIZE = 2,
  HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED = 5,
};
enum hsa_amd_agent_memory_pool_info_t : std::uint32_t {
  HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS = 0,
  HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS = 1,
  HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO = 2,
};
enum hsa_amd_memory_pool_access_t : std::uint32_t {
  HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED = 0,
  HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT = 1,
  HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT = 2,
};
enum hsa_amd_link_info_type_t : std::uint32_t {
  HSA_AMD_LINK_INFO_TYPE_PCIE = 2,
  HSA_AMD_LINK_INFO_TYPE_XGMI = 4,
};
/// One per hop.
struct hsa_amd_memory_pool_link_info_t {
  std::uint32_t min_latency;
  std::uint32_t max_latency;
  std::uint32_t min_bandwidth;
  std::uint32_t max_bandwidth;  ///< MB/s
  bool atomic_support_32bit;
  bool atomic_support_64bit;
  bool coherent_support;
  hsa_amd_link_info_type_t link_type;
  std::uint32_t numa_distance;
};

enum hsa_amd_pointer_type_t : std::uint32_t {
  HSA_EXT_POINTER_TYPE_UNKNOWN = 0,
  HSA_EXT_POINTER_TYPE_HSA = 1,
  HSA_EXT_POINTER_TYPE_LOCKED = 2,
  HSA_EXT_POINTER_TYPE_GRAPHICS = 3,
  HSA_EXT_POINTER_TYPE_IPC = 4,
};
struct hsa_amd_pointer_info_t {
  std::uint32_t size;  ///< of this structure, set by the caller; the runtime writes no more
  hsa_amd_pointer_type_t type;
  void* agentBaseAddress;
  void* hostBaseAddress;
  std::size_t sizeInBytes;
  void* userData;
  hsa_agent_t agentOwner;
  std::uint32_t global_flags;
};

struct hsa_amd_ipc_memory_t {
  std::uint32_t handle[8];
};

enum hsa_amd_event_type_t : std::uint32_t { HSA_AMD_GPU_MEMORY_FAULT_EVENT = 0 };
struct hsa_amd_gpu_memory_fault_info_t {
  hsa_agent_t agent;
  std::uint64_t virtual_address;
  std::uint32_t fault_reason_mask;
};
struct hsa_amd_event_t {
  hsa_amd_event_type_t event_type;
  union {
    hsa_amd_gpu_memory_fault_info_t memory_fault;
  };
};

/// Ticks of HSA_SYSTEM_INFO_TIMESTAMP.
struct hsa_amd_profiling_async_copy_time_t {
  std::uint64_t start;
  std::uint64_t end;
};
struct hsa_amd_profiling_dispatch_time_t {
  std::uint64_t start;
  std::uint64_t end;
};

/// Queues of kernels.
using hsa_queue_type32_t = std::uint32_t;
inline constexpr hsa_queue_type32_t HSA_QUEUE_TYPE_MULTI = 0;
inline constexpr hsa_queue_type32_t HSA_QUEUE_TYPE_SINGLE = 1;
struct hsa_queue_t {
  hsa_queue_type32_t type;
  std::uint32_t features;
  void* base_address;
  hsa_signal_t doorbell_signal;
  std::uint32_t size;  ///< packets of 64 bytes
  std::uint32_t reserved1;
  std::uint64_t id;
};
enum hsa_amd_queue_priority_t : std::uint32_t {
  HSA_AMD_QUEUE_PRIORITY_LOW = 0,
  HSA_AMD_QUEUE_PRIORITY_NORMAL = 1,
  HSA_AMD_QUEUE_PRIORITY_HIGH = 2,
};
enum hsa_packet_type_t : std::uint32_t {
  HSA_PACKET_TYPE_INVALID = 1,
  HSA_PACKET_TYPE_KERNEL_DISPATCH = 2,
  HSA_PACKET_TYPE_BARRIER_AND = 3,
};
enum hsa_fence_scope_t : std::uint32_t {
  HSA_FENCE_SCOPE_NONE = 0,
  HSA_FENCE_SCOPE_AGENT = 1,
  HSA_FENCE_SCOPE_SYSTEM = 2,
};
/// First bits of the parts of a packet's header.
enum hsa_packet_header_t : std::uint32_t {
  HSA_PACKET_HEADER_TYPE = 0,
  HSA_PACKET_HEADER_BARRIER = 8,
  HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE = 9,
  HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE = 11,
};
struct hsa_kernel_dispatch_packet_t {
  std::uint16_t header;
  std::uint16_t setup;  ///< number of dimensions
  std::uint16_t workgroup_size_x;
  std::uint16_t workgroup_size_y;
  std::uint16_t workgroup_size_z;
  std::uint16_t reserved0;
  std::uint32_t grid_size_x;  ///< work-items
  std::uint32_t grid_size_y;
  std::uint32_t grid_size_z;
  std::uint32_t private_segment_size;
  std::uint32_t group_segment_size;
  std::uint64_t kernel_object;
  void* kernarg_address;
  std::uint64_t reserved2;
  hsa_signal_t completion_signal;
};
struct hsa_barrier_and_packet_t {
  std::uint16_t header;
  std::uint16_t reserved0;
  std::uint32_t reserved1;
  hsa_signal_t dep_signal[5];
  std::uint64_t reserved2;
  hsa_signal_t completion_signal;
};
static_assert(sizeof(hsa_kernel_dispatch_packet_t) == 64);
static_assert(sizeof(hsa_barrier_and_packet_t) == 64);

enum hsa_profile_t : std::uint32_t { HSA_PROFILE_BASE = 0, HSA_PROFILE_FULL = 1 };
enum hsa_default_float_rounding_mode_t : std::uint32_t {
  HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT = 0,
};
enum hsa_executable_symbol_info_t : std::uint32_t {
  HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE = 11,
  HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE = 13,
  HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE = 14,
  HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT = 22,
};

/// From ROCm 5.6 on: one bit per engine of the runtime's table, HSA_AMD_SDMA_ENGINE_n = 1 << n.
enum hsa_amd_sdma_engine_id_t : std::uint32_t {};

/// From 2026 on. 128 bytes each; `version` is 1.
enum hsa_amd_memory_copy_op_type_t : std::uint32_t { HSA_AMD_MEMORY_COPY_OP_LINEAR = 0 };
struct hsa_amd_memory_copy_op_t {
  std::uint32_t version;
  hsa_amd_memory_copy_op_type_t type;
  hsa_signal_t completion_signal;
  const void* src;
  hsa_agent_t src_agent;
  hsa_agent_t dst_agent;
  void* dst;
  std::uint64_t size;
  std::uint64_t reserved;
  std::uint64_t wait[4];    ///< zero: waits for nothing of its own
  std::uint64_t signal[4];  ///< zero: writes nothing afterwards
};
static_assert(sizeof(hsa_amd_memory_copy_op_t) == 128);
static_assert(offsetof(hsa_amd_memory_copy_op_t, completion_signal) == 8);
static_assert(offsetof(hsa_amd_memory_copy_op_t, src) == 16);
static_assert(offsetof(hsa_amd_memory_copy_op_t, src_agent) == 24);
static_assert(offsetof(hsa_amd_memory_copy_op_t, dst_agent) == 32);
static_assert(offsetof(hsa_amd_memory_copy_op_t, dst) == 40);
static_assert(offsetof(hsa_amd_memory_copy_op_t, size) == 48);
static_assert(offsetof(hsa_amd_memory_copy_op_t, wait) == 64);
static_assert(offsetof(hsa_amd_memory_copy_op_t, signal) == 96);

// NOLINTEND(readability-identifier-naming,performance-enum-size)

}  // namespace conccl::backend::hsa::abi
