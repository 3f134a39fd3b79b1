// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Every call of the two interfaces, declared with the interface's own type: a definition of
/// another type does not compile.
#pragma once

#include <type_traits>

#include "backend/hsa/hip/calls.hpp"

/// Before every function that the libraries export.
#define CONCCL_FAKE_HIP_API extern "C" __attribute__((visibility("default")))

namespace conccl::test::fake_hip {

using namespace backend::hsa::hip::abi;  // NOLINT(google-build-using-namespace): its own names

#define CONCCL_DECLARE(name) \
  CONCCL_FAKE_HIP_API std::remove_pointer_t<decltype(&backend::hsa::hip::abi::name)> name;
CONCCL_HIP_CALLS(CONCCL_DECLARE)
CONCCL_HIP_OPTIONAL_CALLS(CONCCL_DECLARE)
CONCCL_ROCBLAS_CALLS(CONCCL_DECLARE)
#undef CONCCL_DECLARE

/// The work of a stream: what HIP calls so, and what stands for kernels here.
CONCCL_FAKE_HIP_API hipError_t hipLaunchHostFunc(hipStream_t stream, void (*function)(void*),
                                                 void* data);
/// Whether the call of this name is the one that is to fail.
CONCCL_FAKE_HIP_API bool conccl_fake_hip_strikes(const char* name);

}  // namespace conccl::test::fake_hip
