// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/gpu.hpp"

#include <fmt/format.h>

#include <utility>

#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::backend::cuda {

Gpu::Primary::Primary(const GpuFacts& facts) : device(facts.device) {
  check(driver().cuDevicePrimaryCtxRetain(&context, device),
        {"cuDevicePrimaryCtxRetain", facts.ordinal});
}

Gpu::Primary::~Primary() { (void)driver().cuDevicePrimaryCtxRelease(device); }

Gpu::Gpu(GpuFacts facts) : facts_(std::move(facts)), primary_(facts_) {
  const ContextScope scope(primary_.context);
  check(driver().cuCtxGetStreamPriorityRange(&priorities_.least, &priorities_.greatest),
        {"cuCtxGetStreamPriorityRange", ordinal()});
  parts_ = std::make_unique<Parts>(facts_, make_stream(plan::Priority::high));
  make_partitions();
}

Gpu::~Gpu() {
  // Not a scope: a context that a fault has ended must not throw here.
  CUcontext popped = nullptr;
  const bool current = driver().cuCtxPushCurrent(context()) == CUDA_SUCCESS;
  parts_.reset();
  if (current) (void)driver().cuCtxPopCurrent(&popped);
}

Gpu::Parts::Parts(const GpuFacts& gpu, Stream clock_stream)
    : kernels(gpu.ordinal),
      clock(gpu.ordinal, std::move(clock_stream), events),
      slots(gpu.ordinal) {}

int Gpu::driver_priority(plan::Priority priority) const {
  return priority == plan::Priority::high ? priorities_.greatest : priorities_.least;
}

Stream Gpu::make_stream(plan::Priority priority) const {
  const ContextScope scope(context());
  CUstream stream = nullptr;
  check(driver().cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING,
                                            driver_priority(priority)),
        {"cuStreamCreateWithPriority", ordinal()});
  return Stream(stream);
}

void Gpu::make_partitions() {
  const int step = facts_.unit_step;
  if (step == 0) return;
  for (int units = step; units < facts_.units; units += step) {
    try {
      auto made = std::make_unique<Partition>(facts_, units, parts_->kernels);
      parts_->partitions.emplace(units, std::move(made));
    } catch (const Error& error) {
      log(LogLevel::debug, error.what());
    }
  }
}

const Partition& Gpu::partition(int units) const {
  const auto found = parts_->partitions.find(units);
  if (found != parts_->partitions.end()) return *found->second;
  throw Unavailable(
      fmt::format("GPU {}: the driver makes no partition of {} multiprocessors", ordinal(), units));
}

void Gpu::reach(const Gpu& other) const {
  const ContextScope scope(context());
  const CUresult result = driver().cuCtxEnablePeerAccess(other.context(), 0);
  if (result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) return;
  check(result, {"cuCtxEnablePeerAccess", ordinal()});
}

void Gpu::gather() {
  const ContextScope scope(context());
  parts_->harvest.gather(parts_->clock);
}

}  // namespace conccl::backend::cuda
