// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Streams of the caller: many, default ones, of another GPU, destroyed and made again.

#include "backend/cuda/gpu.hpp"
#include "conccl/core/errors.hpp"
#include "tests/faults/gpu/pair.hpp"

namespace conccl::test {
namespace {

using backend::cuda::facts_of;
using backend::cuda::Gpu;
using backend::cuda::Stream;

constexpr int kStreams = 40;
constexpr Call kCall{plan::Collective::all_to_all, 100'003, DataType::int32};

struct Streams {
  explicit Streams(int ordinal) : gpu(std::make_shared<Gpu>(facts_of(ordinal))) {
    for (int i = 0; i < kStreams; ++i) made.push_back(gpu->make_stream(plan::Priority::normal));
  }

  std::shared_ptr<Gpu> gpu;
  std::vector<Stream> made;
};

TEST(ManyStreams, TakeTurnsOnOneCommunicator) {
  Pair pair;
  // Made before any of them waits: the driver may hold up whoever makes one later.
  const std::array streams{Streams(0), Streams(1 % gpus_here())};
  const auto errors = pair.on_both([&](int rank) {
    const Buffers buffers(pair.device(rank), 4 * kMiB);
    std::uint64_t round = 0;
    for (const Stream& stream : streams[static_cast<std::size_t>(rank)].made) {
      const auto queue = backend::cuda::wrap_stream(pair.device(rank), stream.get());
      make_checked({pair.comm(rank), *queue}, buffers, kCall, ++round);
    }
  });
  EXPECT_THAT(errors, testing::Each(""));
}

TEST(DefaultStreams, AreUsed) {
  // Ranks on one GPU would share them, and the first to wait would hold the other up.
  CONCCL_NEEDS_TWO_GPUS();
  Pair pair;
  for (const std::uintptr_t handle : {0U, 1U, 2U}) {
    const auto errors = pair.on_both([&](int rank) {
      const Buffers buffers(pair.device(rank), 4 * kMiB);
      const auto queue =
          backend::cuda::wrap_stream(pair.device(rank), reinterpret_cast<void*>(handle));
      make_checked({pair.comm(rank), *queue}, buffers, kCall, handle);
    });
    EXPECT_THAT(errors, testing::Each("")) << "stream " << handle;
  }
}

TEST(StreamIds, TellAStreamFromItsSuccessorAndFromOtherGpus) {
  Pair pair;
  auto& device = pair.device(0);
  const Gpu gpu(facts_of(0));
  std::vector<std::uint64_t> seen;
  for (int i = 0; i < 8; ++i) {
    const Stream stream = gpu.make_stream(plan::Priority::normal);
    const auto id = device.stream_id(stream.get()).value();
    EXPECT_EQ(device.stream_id(stream.get()), id);
    EXPECT_THAT(seen, testing::Not(testing::Contains(id)));
    seen.push_back(id);
  }
  EXPECT_EQ(device.stream_id(nullptr), device.stream_id(CU_STREAM_LEGACY));
  EXPECT_TRUE(device.stream_id(CU_STREAM_PER_THREAD));
  CONCCL_NEEDS_TWO_GPUS();
  const Gpu other(facts_of(1));
  const Stream elsewhere = other.make_stream(plan::Priority::normal);
  EXPECT_THAT([&] { (void)device.stream_id(elsewhere.get()); },
              testing::ThrowsMessage<InputError>(testing::HasSubstr("expected GPU 0")));
}

}  // namespace
}  // namespace conccl::test
