// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/blas.hpp"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string_view>

namespace conccl::backend::host {
namespace {

/// A build without threads keeps its packing buffers in a table that it searches without a lock:
/// two calls at once can get the same buffer and then both return wrong products. Such calls take
/// turns.
class Library {
 public:
  Library() : reentrant_(openblas_get_parallel() != OPENBLAS_SEQUENTIAL) {
    openblas_set_num_threads(1);
  }

  [[nodiscard]] bool reentrant() const { return reentrant_; }
  [[nodiscard]] std::unique_lock<std::mutex> turn() {
    return reentrant_ ? std::unique_lock<std::mutex>() : std::unique_lock(mutex_);
  }

 private:
  bool reentrant_;
  std::mutex mutex_;
};

Library& library() {
  static Library instance;
  return instance;
}

constexpr std::array<std::string_view, 3> kAvx512Kernels{"SkylakeX", "Cooperlake",
                                                         "SapphireRapids"};
constexpr std::array<std::string_view, 3> kAvx2Kernels{"Haswell", "Zen", "Excavator"};

VectorLevel kernel_level(std::string_view kernel) {
  const auto is_kernel = [kernel](std::string_view known) { return known == kernel; };
  if (std::ranges::any_of(kAvx512Kernels, is_kernel)) return VectorLevel::avx512;
  if (std::ranges::any_of(kAvx2Kernels, is_kernel)) return VectorLevel::avx2;
  return VectorLevel::sse;
}

/// AMD's first AVX-512 cores run it on 256-bit units, where the AVX2 kernels are as fast; so only
/// on Intel's does AVX-512 ask for more than AVX2.
std::optional<VectorLevel> cpu_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_is("intel") && __builtin_cpu_supports("avx512f")) return VectorLevel::avx512;
  if (__builtin_cpu_supports("avx2")) return VectorLevel::avx2;
  return VectorLevel::sse;
#else
  return std::nullopt;
#endif
}

std::string version_of(std::string_view config) {
  const auto name_end = config.find(' ');
  return std::string(config.substr(0, config.find(' ', name_end + 1)));
}

blasint narrow(std::int64_t value) { return static_cast<blasint>(value); }

}  // namespace

std::string kernel_warning(const std::string& kernel, VectorLevel cpu) {
  if (kernel_level(kernel) >= cpu) return {};
  const bool wide = cpu == VectorLevel::avx512;
  return fmt::format(
      "OpenBLAS picked its {} kernel on a CPU with {}: set OPENBLAS_CORETYPE={} before the start",
      kernel, wide ? "AVX-512" : "AVX2", wide ? "SkylakeX" : "Haswell");
}

BlasInfo blas_info() {
  BlasInfo info;
  info.kernel = openblas_get_corename();
  info.library = fmt::format("{}, kernel {}", version_of(openblas_get_config()), info.kernel);
  if (const auto cpu = cpu_level()) {
    if (auto warning = kernel_warning(info.kernel, *cpu); !warning.empty()) {
      info.warnings.push_back(std::move(warning));
    }
  }
  if (!library().reentrant()) {
    info.warnings.emplace_back(
        "this OpenBLAS is a serial build that is not safe to call from several threads at once, so "
        "GEMM tiles take turns: install libopenblas-pthread-dev and build again");
  }
  return info;
}

void sgemm(const Product& product) {
  const auto turn = library().turn();
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, narrow(product.m), narrow(product.n),
              narrow(product.k), 1.0F, product.a, narrow(product.a_stride), product.b,
              narrow(product.b_stride), 0.0F, product.c, narrow(product.c_stride));
}

}  // namespace conccl::backend::host
