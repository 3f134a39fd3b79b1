// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/side_path.hpp"

#include "backend/cuda/memory_operations.hpp"

namespace conccl::backend::cuda {
namespace {

Stream make_stream(int gpu, CUcontext context) {
  const ContextScope scope(context);
  CUstream stream = nullptr;
  check(driver().cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0),
        {"cuStreamCreateWithPriority", gpu});
  return Stream(stream);
}

}  // namespace

SidePath::Context::Context(const GpuFacts& gpu) {
  check(driver().cuCtxCreate(&handle, nullptr, 0, gpu.device), {"cuCtxCreate", gpu.ordinal});
  CUcontext popped = nullptr;
  (void)driver().cuCtxPopCurrent(&popped);
}

SidePath::Context::~Context() { (void)driver().cuCtxDestroy(handle); }

SidePath::SidePath(const GpuFacts& gpu)
    : gpu_(gpu.ordinal), context_(gpu), stream_(make_stream(gpu_, context_.handle)) {
  const ContextScope scope(context_.handle);
  void* landing = nullptr;
  check(driver().cuMemHostAlloc(&landing, sizeof(std::uint64_t), CU_MEMHOSTALLOC_PORTABLE),
        {"cuMemHostAlloc", gpu_, sizeof(std::uint64_t)});
  landing_ = static_cast<std::uint64_t*>(landing);
}

// The landing place goes with its context.
SidePath::~SidePath() = default;

std::uint64_t SidePath::read(CUdeviceptr word) {
  const std::lock_guard lock(mutex_);
  const ContextScope scope(context_.handle);
  check(driver().cuMemcpyDtoHAsync(landing_, word, sizeof(*landing_), stream_.get()),
        {"cuMemcpyDtoHAsync", gpu_, sizeof(*landing_)});
  done("reading a flag");
  return *landing_;
}

void SidePath::write(CUdeviceptr word, std::uint64_t value) { write_all(word, 1, 0, value); }

void SidePath::write_all(CUdeviceptr first, int count, Bytes stride, std::uint64_t value) {
  const std::lock_guard lock(mutex_);
  const ContextScope scope(context_.handle);
  MemoryOperations operations(stream_.get(), gpu_);
  for (int i = 0; i < count; ++i) operations.write(first + static_cast<Bytes>(i) * stride, value);
  operations.flush();
  done("writing flags");
}

void SidePath::done(const char* operation) { finish(stream_.get(), {operation, gpu_}); }

}  // namespace conccl::backend::cuda
