// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Streams of the CUDA runtime in the C API.

#include <array>

#include "tests/capi/cuda/support.hpp"

namespace conccl::test {
namespace {

class CCudaStreams : public testing::Test {
 protected:
  static concclConfig_t& config() {
    static concclConfig_t instance = on_gpus();
    return instance;
  }

  static cudaStream_t new_stream(int rank) {
    cudaStream_t stream = nullptr;
    EXPECT_CUDA(cudaSetDevice(gpu_of(rank)));
    EXPECT_CUDA(cudaStreamCreate(&stream));
    return stream;
  }

  /// Both ranks' calls, in a group.
  static void gather(const Ranks& ranks, const GpuGather& data,
                     const std::array<cudaStream_t, 2>& streams) {
    ASSERT_OK(concclGroupStart());
    for (int rank = 0; rank < 2; ++rank) EXPECT_OK(data.call(ranks, rank, streams[at(rank)]));
    ASSERT_OK(concclGroupEnd());
  }
};

TEST_F(CCudaStreams, OfTheCaller) {
  const Ranks ranks(2, &config());
  const GpuGather data(100'003, 5);
  const std::array streams{new_stream(0), new_stream(1)};
  gather(ranks, data, streams);
  EXPECT_TRUE(data.right());
  for (auto* stream : streams) EXPECT_CUDA(cudaStreamDestroy(stream));
}

TEST_F(CCudaStreams, DefaultOnes) {
  // On one GPU both ranks would wait for each other in the same stream.
  if (gpus_here() < 2) GTEST_SKIP() << "needs two GPUs";
  const Ranks ranks(2, &config());
  for (auto* stream : {cudaStream_t{nullptr}, cudaStreamLegacy, cudaStreamPerThread}) {
    const GpuGather data(100'003, 7);
    gather(ranks, data, {stream, stream});
    EXPECT_TRUE(data.right());
  }
}

TEST_F(CCudaStreams, DestroyedRightAfterTheCallAndMadeAgain) {
  constexpr int kRounds = 200;  // more than a communicator remembers
  const Ranks ranks(2, &config());
  std::vector<GpuGather> data;
  for (int round = 0; round < kRounds; ++round) data.emplace_back(10'007, round * 100'000);
  for (const auto& each : data) {
    const std::array streams{new_stream(0), new_stream(1)};
    gather(ranks, each, streams);
    for (auto* stream : streams) EXPECT_CUDA(cudaStreamDestroy(stream));
  }
  for (const auto& each : data) EXPECT_TRUE(each.right());
}

TEST_F(CCudaStreams, OfAnotherGpuIsRefused) {
  if (gpus_here() < 2) GTEST_SKIP() << "needs two GPUs";
  const Ranks ranks(2, &config());
  const GpuGather data(1000, 0);
  auto* const stream = new_stream(1);
  expect_refused(data.call(ranks, 0, stream), concclInvalidArgument, "expected GPU 0");
  EXPECT_CUDA(cudaStreamDestroy(stream));
}

TEST_F(CCudaStreams, MadeHereAreStreamsOfTheRuntime) {
  const Ranks ranks(2, &config());
  const GpuGather data(1000, 3);
  const std::array streams{static_cast<cudaStream_t>(ranks.streams[0]),
                           static_cast<cudaStream_t>(ranks.streams[1])};
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_CUDA(cudaSetDevice(gpu_of(rank)));
    EXPECT_CUDA(cudaMemsetAsync(data.recv[at(rank)].data(), 0, 8000, streams[at(rank)]));
  }
  gather(ranks, data, streams);
  ranks.synchronize();
  for (auto* stream : ranks.streams) EXPECT_OK(concclStreamQuery(stream));
  EXPECT_TRUE(data.right());
}

TEST_F(CCudaStreams, OfTheCallerAreNotSynchronizedHere) {
  auto* const stream = new_stream(0);
  expect_refused(concclStreamSynchronize(stream, 0), concclInvalidArgument,
                 "not of concclStreamCreate");
  expect_refused(concclStreamDestroy(stream), concclInvalidArgument, "not of concclStreamCreate");
  EXPECT_CUDA(cudaStreamDestroy(stream));
}

}  // namespace
}  // namespace conccl::test
