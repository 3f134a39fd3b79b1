// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The one door to OpenBLAS.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace conccl::backend::host {

struct BlasInfo {
  std::string library;                ///< "OpenBLAS 0.3.21, kernel Haswell"
  std::string kernel;                 ///< "Haswell"
  std::vector<std::string> warnings;  ///< one line each, with the remedy
};

[[nodiscard]] BlasInfo blas_info();

/// What a CPU can do, as far as it decides which kernel is worth having.
enum class VectorLevel { sse, avx2, avx512 };

/// Empty when `kernel` is at least as new as the CPU; otherwise what to set.
[[nodiscard]] std::string kernel_warning(const std::string& kernel, VectorLevel cpu);

/// Row-major C = A B on sub-matrices; strides are in elements.
struct Product {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  const float* a = nullptr;
  std::int64_t a_stride = 0;
  const float* b = nullptr;
  std::int64_t b_stride = 0;
  float* c = nullptr;
  std::int64_t c_stride = 0;
};

/// On the calling thread alone; any number of threads may call it at once. The first call limits
/// OpenBLAS to one thread per call for the whole process.
void sgemm(const Product& product);

}  // namespace conccl::backend::host
