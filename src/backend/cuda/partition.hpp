// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Partition`: a GPU's multiprocessors in two parts.
#pragma once

#include "backend/cuda/facts.hpp"
#include "backend/cuda/handles.hpp"
#include "backend/cuda/kernels.hpp"

namespace conccl::backend::cuda {

/// One side of a partition.
class GreenContext {
 public:
  GreenContext(const GpuFacts& gpu, CUdevResource units, const Kernels& kernels);
  ~GreenContext();
  GreenContext(const GreenContext&) = delete;
  GreenContext& operator=(const GreenContext&) = delete;

  [[nodiscard]] Stream make_stream(int priority) const;

 private:
  int gpu_;
  CUgreenCtx context_ = nullptr;
};

/// Both sides of one split, which have no multiprocessor in common: `units` of them, and the rest.
class Partition {
 public:
  /// `units` is a multiple of the GPU's step. Throws Unavailable when the driver makes another
  /// split of it. No stream may be waiting for what its caller does next: the driver waits for all.
  Partition(const GpuFacts& gpu, int units, const Kernels& kernels);

  [[nodiscard]] const GreenContext& some() const { return some_; }
  [[nodiscard]] const GreenContext& rest() const { return rest_; }

 private:
  struct Split {
    CUdevResource some{};
    CUdevResource rest{};
  };
  Partition(const GpuFacts& gpu, const Split& split, const Kernels& kernels);
  static Split split(const GpuFacts& gpu, int units);

  GreenContext some_;
  GreenContext rest_;
};

}  // namespace conccl::backend::cuda
