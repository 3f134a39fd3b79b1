// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// This program's HSA runtime, HIP and rocBLAS are the doubles.

#include "tests/backend/hsa/hip/support.hpp"

#include <cstdlib>

namespace conccl::test {
namespace {

[[maybe_unused]] const int kChosenHsa = setenv("CONCCL_HSA", CONCCL_FAKE_HSA_PATH, 1);
[[maybe_unused]] const int kChosenHip = setenv("CONCCL_HIP", CONCCL_FAKE_HIP_PATH, 1);
[[maybe_unused]] const int kChosenRocblas = setenv("CONCCL_ROCBLAS", CONCCL_FAKE_ROCBLAS_PATH, 1);

}  // namespace
}  // namespace conccl::test

namespace conccl::backend::hsa::hip {

const char* const kFakeHipPath = CONCCL_FAKE_HIP_PATH;

}  // namespace conccl::backend::hsa::hip
