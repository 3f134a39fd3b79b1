// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What stands for the backend where it was not built.
#include "conccl/backend/cuda.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend {
namespace {

[[noreturn]] void absent() {
  throw Unavailable("this program was built without the CUDA backend (nvcc was not found)");
}

}  // namespace

std::unique_ptr<Backend> open_cuda() { absent(); }

std::unique_ptr<Queue> cuda::wrap_stream(Device& /*device*/, void* /*stream*/) { absent(); }

// NOLINTNEXTLINE(performance-unnecessary-value-param): the backend keeps it.
std::unique_ptr<Task> cuda::make_stream_task(std::function<void(void*)> /*enqueue*/) { absent(); }

std::unique_ptr<cuda::Graph> cuda::capture_graph(Queue& /*stream*/,
                                                 const std::function<void()>& /*enqueue*/) {
  absent();
}

}  // namespace conccl::backend
