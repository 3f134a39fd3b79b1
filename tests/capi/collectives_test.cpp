// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Collectives and groups.

#include <limits>
#include <thread>

#include "tests/capi/support.hpp"

namespace conccl::test {
namespace {

using testing::Each;

constexpr int kRanks = 3;
constexpr std::size_t kCount = 1000;

TEST(CCollectives, AllGatherInAGroupOfOneThread) {
  Ranks ranks(kRanks);
  const Gather gather(kRanks, kCount);
  ASSERT_OK(concclGroupStart());
  for (int rank = 0; rank < kRanks; ++rank) EXPECT_OK(gather.call(ranks, rank));
  ASSERT_OK(concclGroupEnd());
  ranks.synchronize();
  EXPECT_TRUE(gather.right());
}

TEST(CCollectives, AllGatherOnThreads) {
  Ranks ranks(kRanks);
  const Gather gather(kRanks, kCount);
  EXPECT_THAT(on_each_rank(kRanks, [&](int rank) { return gather.call(ranks, rank); }),
              Each(concclSuccess));
  ranks.synchronize();
  EXPECT_TRUE(gather.right());
}

TEST(CCollectives, AllGatherInPlace) {
  Ranks ranks(kRanks);
  const Gather gather(kRanks, kCount);
  ASSERT_OK(concclGroupStart());
  for (int rank = 0; rank < kRanks; ++rank) {
    auto* const own = gather.recv[at(rank)].words() + at(rank) * kCount;
    std::copy_n(gather.send[at(rank)].words(), kCount, own);
    EXPECT_OK(concclAllGather(own, gather.recv[at(rank)].data(), kCount, concclInt32,
                              ranks.comms[at(rank)], ranks.streams[at(rank)]));
  }
  ASSERT_OK(concclGroupEnd());
  ranks.synchronize();
  EXPECT_TRUE(gather.right());
}

TEST(CCollectives, AllToAllOfGatheredIsAllGather) {
  Ranks ranks(kRanks);
  const Gather gather(kRanks, kCount);
  std::vector<Buffer> recv;
  ASSERT_OK(concclGroupStart());
  for (int rank = 0; rank < kRanks; ++rank) {
    recv.emplace_back(kRanks * kCount * sizeof(std::int32_t));
    EXPECT_OK(gather.call(ranks, rank));
    EXPECT_OK(concclAlltoAll(gather.recv[at(rank)].data(), recv.back().data(), kCount, concclInt32,
                             ranks.comms[at(rank)], ranks.streams[at(rank)]));
  }
  ASSERT_OK(concclGroupEnd());
  ranks.synchronize();
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    for (std::size_t i = 0; i < kRanks * kCount; ++i) {
      ASSERT_EQ(recv[rank].words()[i], static_cast<std::int32_t>(rank * kCount + i % kCount));
    }
  }
}

TEST(CCollectives, NothingToSend) {
  Ranks ranks(2);
  ASSERT_OK(concclGroupStart());
  for (std::size_t rank = 0; rank < 2; ++rank) {
    EXPECT_OK(
        concclAllGather(nullptr, nullptr, 0, concclFloat, ranks.comms[rank], ranks.streams[rank]));
  }
  ASSERT_OK(concclGroupEnd());
  ranks.synchronize();
}

TEST(CCollectives, WrongArgumentsAreRefusedBeforeAnyPeerIsTold) {
  Ranks ranks(1);
  const Buffer buffer(64);
  const auto gather = [&](const void* send, void* recv, std::size_t count, int type) {
    return concclAllGather(send, recv, count, static_cast<concclDataType_t>(type), ranks.comms[0],
                           ranks.streams[0]);
  };
  void* const data = buffer.data();
  auto* const half = buffer.words() + 8;
  expect_refused(gather(nullptr, data, 1, concclInt8), concclInvalidArgument, "send is null");
  expect_refused(gather(data, nullptr, 1, concclInt8), concclInvalidArgument, "recv is null");
  expect_refused(gather(data, half, 1, 10), concclInvalidArgument, "data type");
  expect_refused(gather(data, half, 1, -1), concclInvalidArgument, "data type");
  expect_refused(gather(data, half, 65, concclInt8), concclInvalidArgument, "too small");
  expect_refused(gather(half, data, 9, concclInt32), concclInvalidArgument, "");
  for (const std::size_t count : {SIZE_MAX, SIZE_MAX / 2 + 1, std::size_t{1} << 62U}) {
    EXPECT_EQ(gather(data, half, count, concclInt64), concclInvalidArgument) << count;
  }
  expect_refused(concclAlltoAll(data, data, 4, concclInt32, ranks.comms[0], ranks.streams[0]),
                 concclInvalidArgument, "overlap");
  EXPECT_EQ(async_error(ranks.comms[0]), concclSuccess);
}

TEST(CCollectives, CallsThatDoNotMatchFailOnBothRanks) {
  Ranks ranks(2);
  const Gather gather(2, 8);
  const auto results = on_each_rank(2, [&](int rank) {
    const auto type = rank == 0 ? concclInt32 : concclFloat32;
    return concclAllGather(gather.send[at(rank)].data(), gather.recv[at(rank)].data(), 8, type,
                           ranks.comms[at(rank)], ranks.streams[at(rank)]);
  });
  EXPECT_THAT(results, Each(concclRemoteError));
  EXPECT_EQ(async_error(ranks.comms[0]), concclRemoteError);
  EXPECT_THAT(last_error(ranks.comms[0]), testing::HasSubstr("float32"));
  EXPECT_THAT(last_error(ranks.comms[1]), testing::HasSubstr("int32"));
}

TEST(CGroups, EndWithoutStart) {
  expect_refused(concclGroupEnd(), concclInvalidUsage, "no group is open");
}

TEST(CGroups, Nested) {
  Ranks ranks(2);
  const Gather gather(2, 8);
  ASSERT_OK(concclGroupStart());
  for (int rank = 0; rank < 2; ++rank) {
    ASSERT_OK(concclGroupStart());
    EXPECT_OK(gather.call(ranks, rank));
    ASSERT_OK(concclGroupEnd());
  }
  ASSERT_OK(concclGroupEnd());
  ranks.synchronize();
  EXPECT_TRUE(gather.right());
}

TEST(CGroups, Empty) {
  ASSERT_OK(concclGroupStart());
  ASSERT_OK(concclGroupEnd());
}

TEST(CGroups, AFailedCallFailsTheGroupAndNothingRuns) {
  Ranks ranks(2);
  const Gather gather(2, 8);
  ASSERT_OK(concclGroupStart());
  EXPECT_OK(gather.call(ranks, 0));
  EXPECT_EQ(concclAllGather(nullptr, nullptr, 8, concclInt32, ranks.comms[1], ranks.streams[1]),
            concclInvalidArgument);
  EXPECT_EQ(concclGetVersion(nullptr), concclInvalidArgument);
  expect_refused(concclGroupEnd(), concclInvalidArgument, "send is null");
  expect_refused(concclGroupEnd(), concclInvalidUsage, "no group is open");
  ranks.synchronize();
  EXPECT_EQ(gather.recv[0].words()[0], -1);
  ASSERT_OK(concclGroupStart());  // both communicators are as they were
  for (int rank = 0; rank < 2; ++rank) EXPECT_OK(gather.call(ranks, rank));
  ASSERT_OK(concclGroupEnd());
  ranks.synchronize();
  EXPECT_TRUE(gather.right());
}

TEST(CGroups, DestroyedInsideTheirGroupObjectsLastUntilItsEnd) {
  Ranks ranks(2);
  const Gather gather(2, 8);
  ASSERT_OK(concclGroupStart());
  for (int rank = 0; rank < 2; ++rank) EXPECT_OK(gather.call(ranks, rank));
  for (std::size_t rank = 0; rank < 2; ++rank) {
    EXPECT_OK(concclCommDestroy(std::exchange(ranks.comms[rank], nullptr)));
    EXPECT_OK(concclStreamDestroy(std::exchange(ranks.streams[rank], nullptr)));
  }
  ASSERT_OK(concclGroupEnd());
  EXPECT_TRUE(gather.right());
}

TEST(CGroups, AThreadMayEndInsideOne) {
  Ranks ranks(2);
  const Gather gather(2, 8);
  std::jthread([] { EXPECT_OK(concclGroupStart()); }).join();
  EXPECT_EQ(concclGroupEnd(), concclInvalidUsage) << "groups belong to threads";
}

}  // namespace
}  // namespace conccl::test
