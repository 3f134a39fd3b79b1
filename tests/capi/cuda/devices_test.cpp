// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Which GPU a rank uses, and which memory it takes.

#include "tests/capi/cuda/support.hpp"

namespace conccl::test {
namespace {

/// A rank alone.
concclResult_t join_alone(concclComm_t* comm, const concclConfig_t& config) {
  concclUniqueId id;
  EXPECT_OK(concclGetUniqueId(&id));
  return concclCommInitRankConfig(comm, 1, id, 0, &config);
}

int device_of(concclComm_t comm) {
  int device = -1;
  EXPECT_OK(concclCommDevice(comm, &device));
  return device;
}

TEST(CCudaDevices, TheCurrentOneIsTheDefault) {
  const int last = gpus_here() - 1;
  ASSERT_CUDA(cudaSetDevice(last));
  concclComm_t comm = nullptr;
  ASSERT_OK(join_alone(&comm, on_gpus()));
  EXPECT_EQ(device_of(comm), last);
  EXPECT_OK(concclCommDestroy(comm));
}

TEST(CCudaDevices, TheConfigurationGoesFirst) {
  ASSERT_CUDA(cudaSetDevice(gpus_here() - 1));
  auto config = on_gpus();
  config.device = 0;
  concclComm_t comm = nullptr;
  ASSERT_OK(join_alone(&comm, config));
  EXPECT_EQ(device_of(comm), 0);
  EXPECT_OK(concclCommDestroy(comm));
}

TEST(CCudaDevices, OneThatIsNotThereIsRefused) {
  auto config = on_gpus();
  config.device = gpus_here();
  concclComm_t comm = nullptr;
  expect_refused(join_alone(&comm, config), concclInvalidArgument, "expected one of the");
}

TEST(CCudaDevices, RanksThatShareOneHaveItsNumber) {
  const auto config = on_gpus();
  const Ranks ranks(4, &config);
  for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(device_of(ranks.comms[at(rank)]), gpu_of(rank));
}

TEST(CCudaMemory, IsOfTheCurrentGpu) {
  const auto config = on_gpus();
  const Ranks ranks(2, &config);
  for (const int gpu : {0, gpus_here() - 1}) {
    ASSERT_CUDA(cudaSetDevice(gpu));
    const Buffer buffer(1000);
    cudaPointerAttributes found = {};
    ASSERT_CUDA(cudaPointerGetAttributes(&found, buffer.data()));
    EXPECT_EQ(found.device, gpu);
    EXPECT_EQ(found.type, cudaMemoryTypeDevice);
  }
}

TEST(CCudaMemory, ThatMovesIsRefusedByName) {
  const auto config = on_gpus();
  const Ranks ranks(1, &config);
  const GpuWords good(0, 1000);
  void* managed = nullptr;
  ASSERT_CUDA(cudaMallocManaged(&managed, 4000, cudaMemAttachGlobal));
  expect_refused(
      concclAllGather(managed, good.data(), 1000, concclInt32, ranks.comms[0], ranks.streams[0]),
      concclInvalidArgument, "send is managed memory");
  EXPECT_CUDA(cudaFree(managed));
}

}  // namespace
}  // namespace conccl::test
