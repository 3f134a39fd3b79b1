// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/capi/cuda/support.hpp"

#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace conccl::test {
namespace {

/// Without a GPU nothing here can run: skipped, or a failure where CONCCL_NEED_GPU is set.
class GpuEnvironment : public testing::Environment {
 public:
  void SetUp() override {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0) return;
    const char* why = error != cudaSuccess ? cudaGetErrorString(error) : "there is none";
    if (std::getenv("CONCCL_NEED_GPU") != nullptr) {
      std::fprintf(stderr, "a GPU is needed: %s\n", why);
      std::exit(1);
    }
    // GoogleTest calls tests that an environment skips passed; CTest looks for this.
    std::printf("[  SKIPPED ] every test: %s\n", why);
    GTEST_SKIP() << why;
  }
};

[[maybe_unused]] const auto* const kEnvironment =
    testing::AddGlobalTestEnvironment(new GpuEnvironment);

}  // namespace

int gpus_here() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0 ? count : 1;
}

GpuWords::GpuWords(int gpu, std::size_t count) : gpu_(gpu), count_(count) {
  EXPECT_CUDA(cudaSetDevice(gpu));
  EXPECT_CUDA(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(std::int32_t)));
}

GpuWords::~GpuWords() { EXPECT_CUDA(cudaFree(data_)); }

void GpuWords::write(const std::vector<std::int32_t>& values) const {
  EXPECT_CUDA(
      cudaMemcpy(data_, values.data(), count_ * sizeof(std::int32_t), cudaMemcpyHostToDevice));
}

std::vector<std::int32_t> GpuWords::read() const {
  std::vector<std::int32_t> values(count_);
  EXPECT_CUDA(cudaSetDevice(gpu_));
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_CUDA(
      cudaMemcpy(values.data(), data_, count_ * sizeof(std::int32_t), cudaMemcpyDeviceToHost));
  return values;
}

GpuGather::GpuGather(std::size_t elements, std::int32_t first_value)
    : count(elements), first(first_value) {
  for (int rank = 0; rank < 2; ++rank) {
    std::vector<std::int32_t> values(count);
    std::iota(values.begin(), values.end(), first + rank * static_cast<std::int32_t>(count));
    send.emplace_back(gpu_of(rank), count).write(values);
    recv.emplace_back(gpu_of(rank), 2 * count).write(std::vector<std::int32_t>(2 * count, -1));
  }
}

concclResult_t GpuGather::call(const Ranks& ranks, int rank, cudaStream_t stream) const {
  return concclAllGather(send[at(rank)].data(), recv[at(rank)].data(), count, concclInt32,
                         ranks.comms[at(rank)], stream);
}

testing::AssertionResult GpuGather::right() const {
  std::vector<std::int32_t> expected(2 * count);
  std::iota(expected.begin(), expected.end(), first);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    if (recv[rank].read() != expected) return testing::AssertionFailure() << "rank " << rank;
  }
  return testing::AssertionSuccess();
}

concclConfig_t on_gpus() {
  auto config = with_deadline(kPatienceMs);
  config.backend = "cuda";
  return config;
}

}  // namespace conccl::test
