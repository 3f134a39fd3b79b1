// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/partition.hpp"

#include <fmt/format.h>

#include "conccl/core/errors.hpp"

namespace conccl::backend::cuda {
GreenContext::GreenContext(const GpuFacts& gpu, CUdevResource units, const Kernels& kernels)
    : gpu_(gpu.ordinal) {
  CUdevResourceDesc description = nullptr;
  check(driver().cuDevResourceGenerateDesc(&description, &units, 1),
        {"cuDevResourceGenerateDesc", gpu_});
  check(driver().cuGreenCtxCreate(&context_, description, gpu.device, CU_GREEN_CTX_DEFAULT_STREAM),
        {"cuGreenCtxCreate", gpu_});
  CUcontext context = nullptr;
  check(driver().cuCtxFromGreenCtx(&context, context_), {"cuCtxFromGreenCtx", gpu_});
  const ContextScope scope(context);
  kernels.preload();
}

GreenContext::~GreenContext() { (void)driver().cuGreenCtxDestroy(context_); }

Stream GreenContext::make_stream(int priority) const {
  CUstream stream = nullptr;
  check(driver().cuGreenCtxStreamCreate(&stream, context_, CU_STREAM_NON_BLOCKING, priority),
        {"cuGreenCtxStreamCreate", gpu_});
  return Stream(stream);
}

Partition::Partition(const GpuFacts& gpu, int units, const Kernels& kernels)
    : Partition(gpu, split(gpu, units), kernels) {}

Partition::Partition(const GpuFacts& gpu, const Split& split, const Kernels& kernels)
    : some_(gpu, split.some, kernels), rest_(gpu, split.rest, kernels) {}

Partition::Split Partition::split(const GpuFacts& gpu, int units) {
  CUdevResource all{};
  check(driver().cuDeviceGetDevResource(gpu.device, &all, CU_DEV_RESOURCE_TYPE_SM),
        {"cuDeviceGetDevResource", gpu.ordinal});
  Split parts;
  unsigned groups = 1;
  check(driver().cuDevSmResourceSplitByCount(&parts.some, &groups, &all, &parts.rest, 0,
                                             static_cast<unsigned>(units)),
        {"cuDevSmResourceSplitByCount", gpu.ordinal});
  if (parts.some.sm.smCount != static_cast<unsigned>(units) || parts.rest.sm.smCount == 0) {
    throw Unavailable(fmt::format("GPU {}: {} of {} multiprocessors, the driver gives {} and {}",
                                  gpu.ordinal, units, gpu.units, parts.some.sm.smCount,
                                  parts.rest.sm.smCount));
  }
  return parts;
}

}  // namespace conccl::backend::cuda
