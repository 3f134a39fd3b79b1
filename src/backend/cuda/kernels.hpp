// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Kernels`: the backend's kernels, loaded from the program itself.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "backend/cuda/driver.hpp"
#include "backend/cuda/kernel_args.hpp"
#include "backend/kernel_image.hpp"

namespace conccl::backend::cuda {

/// The compiled kernels: one.
[[nodiscard]] std::span<const KernelImage> fatbins();

enum class Kernel : std::size_t {
  fill,
  compare,
  conclude,
  differences,
  random_bf16,
  random_fp16,
  random_fp8,
  units,
  copy,
  counters,
};
inline constexpr std::size_t kKernels = 10;

struct Grid {
  unsigned blocks = 1;
  unsigned threads = 256;
};

/// For one GPU. Any thread may call it.
class Kernels {
 public:
  /// The GPU's context must be current.
  explicit Kernels(int gpu);
  ~Kernels();
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  /// Loads all of them into the current context: a first launch would load its kernel, and may wait
  /// for streams that wait for it.
  void preload() const;

  /// The arguments must have the types of the kernel's parameters.
  template <typename... Args>
  void launch(Kernel kernel, const Grid& grid, CUstream stream, Args... args) const {
    std::array<void*, sizeof...(Args)> pointers{static_cast<void*>(&args)...};
    launch(kernel, grid, stream, pointers.data());
  }

 private:
  void launch(Kernel kernel, const Grid& grid, CUstream stream, void** args) const;

  int gpu_;
  CUlibrary library_ = nullptr;
  std::array<CUkernel, kKernels> kernels_{};
};

}  // namespace conccl::backend::cuda
