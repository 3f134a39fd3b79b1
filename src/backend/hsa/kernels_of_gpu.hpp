// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `KernelsOfGpu`: a GPU's kernels, loaded when they are first needed.
#pragma once

#include <memory>
#include <mutex>

#include "backend/hsa/kernels.hpp"

namespace conccl::backend::hsa {

class Runtime;
struct Gpu;

/// Any thread may call it.
class KernelsOfGpu {
 public:
  /// Throws Unavailable with the reason.
  [[nodiscard]] std::shared_ptr<const Kernels> get(const Runtime& runtime, const Gpu& gpu);

 private:
  std::mutex mutex_;
  std::shared_ptr<const Kernels> kernels_;
};

}  // namespace conccl::backend::hsa
