// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Hip`: the HIP runtime of this process beside the HSA runtime, and rocBLAS where there is one.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backend/hsa/hip/device_scope.hpp"
#include "backend/hsa/hip/host_kernels.hpp"
#include "backend/hsa/hip/own_streams.hpp"
#include "backend/hsa/runtime.hpp"

namespace conccl::backend::hsa::hip {

/// A GPU as HIP knows it.
struct HipGpu {
  int ordinal = 0;
  OwnStreams streams;
  HostKernels kernels;
};

/// Any thread may call it. It must be gone before a fork.
class Hip {
 public:
  /// The one beside `runtime`, opened if need be. Throws Unavailable with the reason.
  [[nodiscard]] static std::shared_ptr<Hip> open(const std::shared_ptr<Runtime>& runtime);
  Hip(const Hip&) = delete;
  Hip& operator=(const Hip&) = delete;

  [[nodiscard]] const HipLibrary& library() const { return library_; }
  [[nodiscard]] const HipCalls& calls() const { return library_.calls; }
  [[nodiscard]] const std::shared_ptr<Runtime>& runtime() const { return runtime_; }
  [[nodiscard]] const std::optional<RocblasLibrary>& rocblas() const { return rocblas_; }
  /// Empty: there is one.
  [[nodiscard]] const std::string& why_no_rocblas() const { return why_no_rocblas_; }

  /// GPU `gpu` of the HSA runtime. Throws Unavailable when HIP does not see it.
  [[nodiscard]] HipGpu& gpu(int gpu);
  /// GPUs that HIP does not see.
  [[nodiscard]] std::vector<int> hidden() const;
  [[nodiscard]] DeviceScope enter(int gpu) { return {calls(), this->gpu(gpu).ordinal}; }
  /// The calling thread's; nullopt: HIP does not say, or nothing tells which GPU it is.
  [[nodiscard]] std::optional<int> current_gpu() const;

 private:
  explicit Hip(std::shared_ptr<Runtime> runtime);
  void map_gpus();
  void look_for_rocblas();

  std::shared_ptr<Runtime> runtime_;
  HipLibrary library_;
  std::optional<RocblasLibrary> rocblas_;
  std::string why_no_rocblas_;
  std::vector<std::unique_ptr<HipGpu>> gpus_;  ///< by the HSA runtime's index; null: hidden
};

}  // namespace conccl::backend::hsa::hip
