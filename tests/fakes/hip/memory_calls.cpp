// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <cstdlib>

#include "tests/fakes/hip/exports.hpp"
#include "tests/fakes/hip/settings.hpp"

namespace conccl::test::fake_hip {

/// Signal memory alone: 8 bytes, which hold what the runtime left there.
CONCCL_FAKE_HIP_API hipError_t hipExtMallocWithFlags(void** address, std::size_t bytes,
                                                     unsigned flags) {
  if (settings().strikes("hipExtMallocWithFlags")) return hipErrorOutOfMemory;
  if (address == nullptr || bytes != sizeof(std::uint64_t) || flags != hipMallocSignalMemory) {
    return hipErrorInvalidValue;
  }
  *address = new std::uint64_t{1};
  ++counters().words;
  return hipSuccess;
}

}  // namespace conccl::test::fake_hip
