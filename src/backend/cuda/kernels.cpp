// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/kernels.hpp"

namespace conccl::backend::cuda {
namespace {

constexpr std::array<const char*, kKernels> kNames{
    "conccl_fill",        "conccl_compare",     "conccl_conclude",   "conccl_differences",
    "conccl_random_bf16", "conccl_random_fp16", "conccl_random_fp8", "conccl_units",
    "conccl_copy",        "conccl_counters"};

}  // namespace

Kernels::Kernels(int gpu) : gpu_(gpu) {
  const auto image = fatbins().front().bytes;
  check(
      driver().cuLibraryLoadData(&library_, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
      {"cuLibraryLoadData", gpu, image.size()});
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    check(driver().cuLibraryGetKernel(&kernels_[i], library_, kNames[i]), {kNames[i], gpu});
  }
  preload();
}

Kernels::~Kernels() { (void)driver().cuLibraryUnload(library_); }

void Kernels::preload() const {
  for (const CUkernel kernel : kernels_) {
    CUfunction function = nullptr;
    check(driver().cuKernelGetFunction(&function, kernel), {"cuKernelGetFunction", gpu_});
    check(driver().cuFuncLoad(function), {"cuFuncLoad", gpu_});
  }
}

void Kernels::launch(Kernel kernel, const Grid& grid, CUstream stream, void** args) const {
  const auto index = static_cast<std::size_t>(kernel);
  // A kernel that is not tied to a context runs in the stream's.
  const auto function = reinterpret_cast<CUfunction>(kernels_[index]);
  check(driver().cuLaunchKernel(function, grid.blocks, 1, 1, grid.threads, 1, 1, 0, stream, args,
                                nullptr),
        {kNames[index], gpu_});
}

}  // namespace conccl::backend::cuda
