// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Streams, aborts, and failures that no call of one's own has caused.

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "tests/capi/support.hpp"

namespace conccl::test {
namespace {

using testing::HasSubstr;

bool is_asleep(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  return std::getline(file, text) && text.substr(text.rfind(')') + 2, 1) == "S";
}

/// A call on a thread of its own, which has fallen asleep in it once this is constructed.
class BlockedCall {
 public:
  explicit BlockedCall(const std::function<concclResult_t()>& call)
      : thread_([this, call] {
          id_ = gettid();
          result_ = call();
          text_ = last_error();
          ended_ = true;
        }) {
    // At several looks in a row: a moment's sleep over a lock does not count.
    for (int looks = 0; looks < 10 && !ended_;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      looks = id_ != 0 && is_asleep(id_) ? looks + 1 : 0;
    }
    EXPECT_FALSE(ended_) << "the call did not block: " << text_;
  }

  /// Waits for the call's end.
  void expect(concclResult_t result, const std::string& words) {
    thread_.join();
    EXPECT_EQ(result_, result);
    EXPECT_THAT(text_, HasSubstr(words));
  }

 private:
  std::atomic<pid_t> id_ = 0;
  std::atomic<bool> ended_ = false;
  concclResult_t result_ = concclSuccess;
  std::string text_;
  std::jthread thread_;
};

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
  BlockedCall blocked([&] { return gather.call(ranks, 0); });
  EXPECT_OK(concclCommAbort(ranks.comms[0]));
  blocked.expect(concclRemoteError, "aborted by rank 0");
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
  BlockedCall blocked([&] { return gather.call(ranks, 0); });
  EXPECT_OK(concclCommDestroy(comm));
  EXPECT_EQ(concclCommAbort(comm), concclInvalidArgument) << "the handle is gone at once";
  EXPECT_OK(concclCommAbort(ranks.comms[1]));
  blocked.expect(concclRemoteError, "aborted by rank 1");
  ranks.comms[0] = nullptr;
}

}  // namespace
}  // namespace conccl::test
