// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What stands for the backend where it was not built.
#include "conccl/backend/cuda.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend {

std::unique_ptr<Backend> open_cuda() {
  throw Unavailable("this program was built without the CUDA backend (nvcc was not found)");
}

std::unique_ptr<Queue> cuda::wrap_stream(Device& /*device*/, void* /*stream*/) {
  throw Unavailable("this program was built without the CUDA backend (nvcc was not found)");
}

}  // namespace conccl::backend
