// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Kernels`: the backend's kernels, loaded from the program itself.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "backend/hsa/calls.hpp"
#include "backend/hsa/kernel_args.hpp"

namespace conccl::backend::hsa {

/// Every kernel and the structure that it takes.
#define CONCCL_HSA_KERNEL_LIST(X) \
  X(fill, FillArgs)               \
  X(set, SetArgs)                 \
  X(compare, CompareArgs)         \
  X(conclude, ConcludeArgs)       \
  X(differences, DifferencesArgs) \
  X(random, RandomArgs)           \
  X(copy, CopyArgs)               \
  X(reduce, ReduceArgs)

enum class Kernel : std::size_t {
#define CONCCL_KERNEL(name, Args) name,
  CONCCL_HSA_KERNEL_LIST(CONCCL_KERNEL)
#undef CONCCL_KERNEL
};

template <typename Args>
struct KernelOf;
#define CONCCL_KERNEL(name, Args)                   \
  template <>                                       \
  struct KernelOf<Args> {                           \
    static constexpr Kernel kKernel = Kernel::name; \
  };
CONCCL_HSA_KERNEL_LIST(CONCCL_KERNEL)
#undef CONCCL_KERNEL

struct KernelFacts {
  const char* name = "";         ///< as in the source
  std::uint32_t args_bytes = 0;  ///< of its structure
};
inline constexpr std::array kKernelFacts{
#define CONCCL_KERNEL(name, Args) KernelFacts{"conccl_" #name, sizeof(Args)},
    CONCCL_HSA_KERNEL_LIST(CONCCL_KERNEL)
#undef CONCCL_KERNEL
};

/// No kernel's arguments take more, with what a compiler may add to them.
inline constexpr std::uint32_t kMostKernargBytes = 512;

/// What a dispatch packet says of a kernel.
struct LoadedKernel {
  std::uint64_t object = 0;
  std::uint32_t kernarg_bytes = 0;
  std::uint32_t group_bytes = 0;
  std::uint32_t private_bytes = 0;
};

/// For one agent; alive while any of its kernels may run. Any thread may call it. `calls` must live
/// as long.
class Kernels {
 public:
  /// Throws Unavailable with the reason when this program has no kernels for the agent or it does
  /// not load them. `gpu` is for errors.
  Kernels(const Calls& calls, abi::hsa_agent_t agent, int gpu);
  /// Of an image that outlives them.
  Kernels(const Calls& calls, abi::hsa_agent_t agent, int gpu,
          std::span<const unsigned char> image);
  ~Kernels();
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  [[nodiscard]] const LoadedKernel& operator[](Kernel kernel) const {
    return kernels_[static_cast<std::size_t>(kernel)];
  }

 private:
  void load(std::span<const unsigned char> image);
  [[nodiscard]] LoadedKernel find(const KernelFacts& facts) const;
  void demand(abi::hsa_status_t status, const std::string& operation) const;
  void release();

  const Calls& calls_;
  abi::hsa_agent_t agent_;
  int gpu_;
  abi::hsa_code_object_reader_t reader_{};
  abi::hsa_executable_t executable_{};
  std::array<LoadedKernel, kKernelFacts.size()> kernels_{};
};

}  // namespace conccl::backend::hsa
