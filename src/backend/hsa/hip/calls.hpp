// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The calls of HIP and rocBLAS that this backend uses, and the tables that hold them.
#pragma once

#include "backend/hsa/hip/abi.hpp"

namespace conccl::backend::hsa::hip {

namespace abi {

// NOLINTBEGIN(readability-identifier-naming,readability-redundant-declaration): the vendor's names.
// Declared for their types alone, defined nowhere: nothing of either library is linked.

const char* hipGetErrorName(hipError_t error);
const char* hipGetErrorString(hipError_t error);
hipError_t hipRuntimeGetVersion(int* version);
hipError_t hipGetDeviceCount(int* count);
hipError_t hipGetDevice(int* device);
hipError_t hipSetDevice(int device);
hipError_t hipDeviceGetPCIBusId(char* text, int size, int device);
hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest);
hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority);
hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream, std::uint32_t words,
                                        const std::uint32_t* mask);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device);
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status);
hipError_t hipStreamWaitValue64(hipStream_t stream, void* address, std::uint64_t value,
                                unsigned flags, std::uint64_t mask);
hipError_t hipStreamWriteValue64(hipStream_t stream, void* address, std::uint64_t value,
                                 unsigned flags);
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream);
hipError_t hipEventDestroy(hipEvent_t event);
hipError_t hipExtMallocWithFlags(void** address, std::size_t bytes, unsigned flags);

rocblas_status rocblas_create_handle(rocblas_handle* handle);
rocblas_status rocblas_destroy_handle(rocblas_handle handle);
rocblas_status rocblas_set_stream(rocblas_handle handle, hipStream_t stream);
rocblas_status rocblas_set_atomics_mode(rocblas_handle handle, rocblas_atomics_mode mode);
rocblas_status rocblas_get_version_string(char* text, std::size_t size);
const char* rocblas_status_to_string(rocblas_status status);
/// D = alpha A B + beta C, all by columns.
rocblas_status rocblas_gemm_ex(rocblas_handle handle, rocblas_operation a_operation,
                               rocblas_operation b_operation, rocblas_int m, rocblas_int n,
                               rocblas_int k, const void* alpha, const void* a,
                               rocblas_datatype a_type, rocblas_int a_stride, const void* b,
                               rocblas_datatype b_type, rocblas_int b_stride, const void* beta,
                               const void* c, rocblas_datatype c_type, rocblas_int c_stride,
                               void* d, rocblas_datatype d_type, rocblas_int d_stride,
                               rocblas_datatype compute_type, rocblas_gemm_algo algorithm,
                               std::int32_t solution, std::uint32_t flags);

// NOLINTEND(readability-identifier-naming,readability-redundant-declaration)

}  // namespace abi

/// What every release has that has the engine calls of HSA (ROCm 5.6).
#define CONCCL_HIP_CALLS(X)          \
  X(hipGetErrorName)                 \
  X(hipGetErrorString)               \
  X(hipRuntimeGetVersion)            \
  X(hipGetDeviceCount)               \
  X(hipGetDevice)                    \
  X(hipSetDevice)                    \
  X(hipDeviceGetPCIBusId)            \
  X(hipDeviceGetStreamPriorityRange) \
  X(hipStreamCreateWithPriority)     \
  X(hipExtStreamCreateWithCUMask)    \
  X(hipStreamDestroy)                \
  X(hipStreamQuery)                  \
  X(hipStreamIsCapturing)            \
  X(hipStreamWaitValue64)            \
  X(hipStreamWriteValue64)           \
  X(hipEventCreateWithFlags)         \
  X(hipEventRecord)                  \
  X(hipEventDestroy)                 \
  X(hipExtMallocWithFlags)

/// Null where the release lacks them.
#define CONCCL_HIP_OPTIONAL_CALLS(X) X(hipStreamGetDevice)

#define CONCCL_ROCBLAS_CALLS(X) \
  X(rocblas_create_handle)      \
  X(rocblas_destroy_handle)     \
  X(rocblas_set_stream)         \
  X(rocblas_set_atomics_mode)   \
  X(rocblas_get_version_string) \
  X(rocblas_status_to_string)   \
  X(rocblas_gemm_ex)

// NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses): the vendor's names.
#define CONCCL_MEMBER(name) decltype(&abi::name) name = nullptr;
struct HipCalls {
  CONCCL_HIP_CALLS(CONCCL_MEMBER)
  CONCCL_HIP_OPTIONAL_CALLS(CONCCL_MEMBER)
};
struct RocblasCalls {
  CONCCL_ROCBLAS_CALLS(CONCCL_MEMBER)
};
#undef CONCCL_MEMBER
// NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)

}  // namespace conccl::backend::hsa::hip
