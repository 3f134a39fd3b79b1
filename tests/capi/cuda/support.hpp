// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Two ranks of one process on GPUs, and memory of the CUDA runtime.
#pragma once

#include <cuda_runtime_api.h>

#include "tests/capi/support.hpp"

#define ASSERT_CUDA(call) ASSERT_EQ((call), cudaSuccess)
#define EXPECT_CUDA(call) EXPECT_EQ((call), cudaSuccess)

namespace conccl::test {

[[nodiscard]] int gpus_here();

/// The GPU of a rank.
[[nodiscard]] inline int gpu_of(int rank) { return rank % gpus_here(); }

/// `count` words on a GPU, freed with it.
class GpuWords {
 public:
  GpuWords(int gpu, std::size_t count);
  ~GpuWords();
  GpuWords(GpuWords&& other) noexcept
      : gpu_(other.gpu_), count_(other.count_), data_(std::exchange(other.data_, nullptr)) {}
  GpuWords& operator=(GpuWords&&) = delete;
  GpuWords(const GpuWords&) = delete;
  GpuWords& operator=(const GpuWords&) = delete;

  [[nodiscard]] std::int32_t* data() const { return data_; }
  void write(const std::vector<std::int32_t>& values) const;
  /// Waits for the GPU first.
  [[nodiscard]] std::vector<std::int32_t> read() const;

 private:
  int gpu_;
  std::size_t count_;
  std::int32_t* data_ = nullptr;
};

/// A send and a recv buffer on each of two ranks' GPUs; rank r sends first + r * count ...
struct GpuGather {
  GpuGather(std::size_t elements, std::int32_t first);

  [[nodiscard]] concclResult_t call(const Ranks& ranks, int rank, cudaStream_t stream) const;
  [[nodiscard]] testing::AssertionResult right() const;

  std::size_t count;
  std::int32_t first;
  std::vector<GpuWords> send;
  std::vector<GpuWords> recv;
};

/// Two ranks on the CUDA backend.
[[nodiscard]] concclConfig_t on_gpus();

}  // namespace conccl::test
