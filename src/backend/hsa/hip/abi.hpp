// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What this backend uses of the binary interfaces of HIP and rocBLAS, in their own names: types
/// and constants. Nothing of the vendor's is needed to build; a test compares HIP's part with the
/// vendor's header where that is installed.
#pragma once

#include <cstddef>
#include <cstdint>

struct ihipStream_t;
struct ihipEvent_t;
struct _rocblas_handle;

namespace conccl::backend::hsa::hip::abi {

// NOLINTBEGIN(readability-identifier-naming,performance-enum-size): the vendor's names and sizes.

enum hipError_t : std::uint32_t {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorNoDevice = 100,
  hipErrorInvalidDevice = 101,
  hipErrorInvalidHandle = 400,
  hipErrorNotReady = 600,
  hipErrorLaunchFailure = 719,
  hipErrorNotSupported = 801,
  hipErrorStreamCaptureImplicit = 906,
  hipErrorUnknown = 999,
};

using hipStream_t = ihipStream_t*;
using hipEvent_t = ihipEvent_t*;
using hipDevice_t = int;

enum hipStreamCaptureStatus : std::uint32_t {
  hipStreamCaptureStatusNone = 0,
  hipStreamCaptureStatusActive = 1,
  hipStreamCaptureStatusInvalidated = 2,
};

inline constexpr unsigned hipStreamNonBlocking = 0x1;
inline constexpr unsigned hipStreamWaitValueGte = 0x0;
inline constexpr unsigned hipEventDisableTiming = 0x2;
inline constexpr unsigned hipEventReleaseToSystem = 0x80000000;
inline constexpr unsigned hipMallocSignalMemory = 0x2;

/// Handles that are numbers: the legacy default stream (a null one is it too; ROCm 6.3) and the
/// calling thread's.
inline constexpr std::uintptr_t kStreamLegacy = 1;
inline constexpr std::uintptr_t kStreamPerThread = 2;

using rocblas_handle = _rocblas_handle*;
using rocblas_int = std::int32_t;

enum rocblas_status : std::uint32_t {
  rocblas_status_success = 0,
  rocblas_status_invalid_handle = 1,
  rocblas_status_not_implemented = 2,
  rocblas_status_invalid_pointer = 3,
  rocblas_status_invalid_size = 4,
  rocblas_status_internal_error = 6,
  rocblas_status_invalid_value = 11,
};
enum rocblas_operation : std::uint32_t { rocblas_operation_none = 111 };
enum rocblas_datatype : std::uint32_t {
  rocblas_datatype_f16_r = 150,
  rocblas_datatype_f32_r = 151,
  rocblas_datatype_bf16_r = 168,
};
enum rocblas_atomics_mode : std::uint32_t {
  rocblas_atomics_not_allowed = 0,
  rocblas_atomics_allowed = 1,
};
enum rocblas_gemm_algo : std::uint32_t { rocblas_gemm_algo_standard = 0 };

// NOLINTEND(readability-identifier-naming,performance-enum-size)

}  // namespace conccl::backend::hsa::hip::abi
