// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/kernels_of_gpu.hpp"

#include "backend/hsa/runtime.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa {

std::shared_ptr<const Kernels> KernelsOfGpu::get(const Runtime& runtime, const Gpu& gpu) {
  const std::lock_guard lock(mutex_);
  if (kernels_) return kernels_;
  const std::string missing = why_no_kernels(runtime.library());
  if (!missing.empty()) throw Unavailable("no kernels: " + missing);
  kernels_ = std::make_shared<const Kernels>(runtime.calls(), gpu.facts.agent, gpu.facts.index);
  return kernels_;
}

}  // namespace conccl::backend::hsa
