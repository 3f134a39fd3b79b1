// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Collectives in the order of the caller's own hipStreams.

#include "tests/backend/hsa/hip/support.hpp"
#include "tests/comm/support.hpp"

namespace conccl::test {
namespace {

using backend::hsa::hip::Caller;

TEST(HsaStreams, OfTheCallerCarryCollectivesBetweenTheirOtherWork) {
  constexpr int kRanks = 4;
  constexpr Bytes kBlock = 3000;
  const FakeHip hip(backend::hsa::hip::kFakeHipPath);
  const Caller caller(hip);
  World world(kRanks);
  std::vector<std::shared_ptr<ihipStream_t>> streams;
  std::vector<std::unique_ptr<backend::Queue>> queues;
  std::vector<backend::Memory> send;
  std::vector<backend::Memory> recv;
  for (int rank = 0; rank < kRanks; ++rank) {
    caller.set_device(rank);
    streams.push_back(caller.stream());
    queues.push_back(world.device(rank).wrap(streams.back().get()));
    send.push_back(world.device(rank).allocate(kBlock));
    recv.push_back(world.device(rank).allocate(kRanks * kBlock));
  }
  std::atomic<int> right{0};
  for (int round = 1; round <= 20; ++round) {
    comm::Group group;
    for (int rank = 0; rank < kRanks; ++rank) {
      const auto at = World::at(rank);
      const auto value = static_cast<unsigned char>(round * kRanks + rank);
      // What stands for the caller's kernels, before and after.
      caller.launch(streams[at].get(),
                    [&, at, value] { std::memset(send[at].data(), value, kBlock); });
      world.comm(rank).all_gather(send[at].data(), recv[at].data(), kBlock, DataType::uint8,
                                  *queues[at]);
    }
    group.end();
    for (int rank = 0; rank < kRanks; ++rank) {
      const auto at = World::at(rank);
      caller.launch(streams[at].get(), [&, at, round] {
        bool all = true;
        for (Bytes i = 0; i < kRanks * kBlock; ++i) {
          const auto expected =
              static_cast<std::byte>(round * kRanks + static_cast<int>(i / kBlock));
          all = all && *recv[at].at(i) == expected;
        }
        right += all ? 1 : 0;
      });
    }
  }
  for (const auto& stream : streams) ASSERT_TRUE(caller.synchronize(stream.get()));
  EXPECT_EQ(right, 20 * kRanks);
}

}  // namespace
}  // namespace conccl::test
