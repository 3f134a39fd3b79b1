// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// HIP and rocBLAS, opened at run time: the backend moves bytes without either.
#pragma once

#include <string>

#include "backend/hsa/hip/calls.hpp"
#include "conccl/core/units.hpp"

namespace conccl::backend::hsa::hip {

struct HipLibrary {
  std::string path;     ///< of the file it came from
  std::string version;  ///< "6.2.41133"
  HipCalls calls;
};
struct RocblasLibrary {
  std::string path;
  std::string version;  ///< "4.2.0.b2bcdf8"
  RocblasCalls calls;
};

/// The library that CONCCL_HIP names, else libamdhip64.so.7, .6, .5 or .so; never closed. Throws
/// Unavailable with what was looked for and why it will not do.
[[nodiscard]] HipLibrary open_hip();
/// The library that CONCCL_ROCBLAS names, else librocblas.so.5, .4, .3, .0 or .so; as above.
[[nodiscard]] RocblasLibrary open_rocblas();

/// "hipErrorNoDevice (100): no ROCm-capable device is detected".
[[nodiscard]] std::string text_of(const HipCalls& calls, abi::hipError_t error);

/// What a call was about, for its error.
struct HipCall {
  const char* operation = "";
  int gpu = -1;     ///< of the HSA runtime's; -1: none
  Bytes bytes = 0;  ///< 0: not about bytes
};

/// Throw RunError with all of `call` and the library's text unless it is success.
void check(const HipCalls& calls, abi::hipError_t error, const HipCall& call);
void check(const RocblasCalls& calls, abi::rocblas_status status, const HipCall& call);

}  // namespace conccl::backend::hsa::hip
