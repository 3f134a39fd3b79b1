// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Streams, aborts, and failures that no call of one's own has caused.

#include <chrono>
#include <thread>

#include "tests/capi/support.hpp"

namespace conccl::test {
namespace {

using testing::HasSubstr;

TEST(CStreams, IdleIsDone) {
  const Ranks ranks(1);
  EXPECT_OK(concclStreamQuery(ranks.streams[0]));
  EXPECT_OK(concclStreamSynchronize(ranks.streams[0], 0));
  EXPECT_OK(concclStreamSynchronize(ranks.streams[0], -1));
}

TEST(CStreams, AnotherOneOfTheSameDevice) {
  Ranks ranks(2);
  concclStream_t other = nullptr;
  ASSERT_OK(concclStreamCreate(&other, ranks.comms[0]));
  EXPECT_NE(other, ranks.streams[0]);
  std::swap(other, ranks.streams[0]);
  const Gather gather(2, 50);
  ASSERT_OK(concclGroupStart());
  for (int rank = 0; rank < 2; ++rank) EXPECT_OK(gather.call(ranks, rank));
  ASSERT_OK(concclGroupEnd());
  ranks.synchronize();
  EXPECT_TRUE(gather.right());
  EXPECT_OK(concclStreamDestroy(other));
}

TEST(CStreams, OutlivesItsCommunicator) {
  Ranks ranks(1);
  EXPECT_OK(concclCommDestroy(std::exchange(ranks.comms[0], nullptr)));
  EXPECT_OK(concclStreamQuery(ranks.streams[0]));
}

TEST(CStreams, WaitsNoLongerThanItMay) {
  const Gather gather(2, 50);
  Ranks ranks(2);
  std::vector<concclWindow_t> windows(4);
  ASSERT_OK(concclGroupStart());
  for (std::size_t rank = 0; rank < 2; ++rank) {
    EXPECT_OK(concclCommWindowRegister(ranks.comms[rank], gather.send[rank].data(), 200,
                                       &windows[rank], CONCCL_WIN_DEFAULT));
    EXPECT_OK(concclCommWindowRegister(ranks.comms[rank], gather.recv[rank].data(), 400,
                                       &windows[2 + rank], CONCCL_WIN_DEFAULT));
  }
  ASSERT_OK(concclGroupEnd());
  ASSERT_OK(gather.call(ranks, 0));  // the other rank has not called yet
  EXPECT_EQ(concclStreamQuery(ranks.streams[0]), concclInProgress);
  EXPECT_EQ(concclStreamSynchronize(ranks.streams[0], 20), concclInProgress);
  ASSERT_OK(gather.call(ranks, 1));
  ranks.synchronize();
  EXPECT_OK(concclStreamQuery(ranks.streams[0]));
  EXPECT_TRUE(gather.right());
}

TEST(CAbort, LetsGoOfACallThatIsBlocked) {
  Ranks ranks(2);
  const Gather gather(2, 50);
  concclResult_t result = concclSuccess;
  std::string text;
  std::jthread blocked([&] {
    result = gather.call(ranks, 0);
    text = last_error();
  });
  std::jthread([&] { EXPECT_OK(concclCommAbort(ranks.comms[0])); }).join();
  blocked.join();
  EXPECT_EQ(result, concclRemoteError);
  EXPECT_THAT(text, HasSubstr("aborted by rank 0"));
}

TEST(CAbort, IsSeenOnEveryRankAndTheHandlesStayValid) {
  Ranks ranks(3);
  std::jthread([&] { EXPECT_OK(concclCommAbort(ranks.comms[1])); }).join();
  const Gather gather(3, 50);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(async_error(ranks.comms[at(rank)]), concclRemoteError);
    EXPECT_THAT(last_error(ranks.comms[at(rank)]), HasSubstr("aborted by rank 1"));
    expect_refused(gather.call(ranks, rank), concclRemoteError, "aborted by rank 1");
  }
  int count = 0;
  EXPECT_OK(concclCommCount(ranks.comms[1], &count));
  EXPECT_EQ(count, 3);
}

TEST(CAbort, AGroupSaysItIsThePeers) {
  Ranks ranks(2);
  const Gather gather(2, 50);
  EXPECT_OK(concclCommAbort(ranks.comms[1]));
  ASSERT_OK(concclGroupStart());
  for (int rank = 0; rank < 2; ++rank) EXPECT_OK(gather.call(ranks, rank));
  expect_refused(concclGroupEnd(), concclRemoteError, "aborted by rank 1");
}

TEST(CAbort, DestroyedByAnotherThreadDuringACall) {
  Ranks ranks(2);
  const Gather gather(2, 50);
  auto* const comm = ranks.comms[0];
  concclResult_t result = concclSuccess;
  std::jthread blocked([&] { result = gather.call(ranks, 0); });
  EXPECT_OK(concclCommAbort(ranks.comms[1]));
  EXPECT_OK(concclCommDestroy(comm));
  blocked.join();
  // The call found the communicator aborted, or gone.
  EXPECT_THAT(result, testing::AnyOf(concclRemoteError, concclInvalidArgument));
  ranks.comms[0] = nullptr;
}

}  // namespace
}  // namespace conccl::test
