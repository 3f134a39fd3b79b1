// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Memory and windows: who may free what, and when.

#include <cstring>

#include "tests/capi/support.hpp"

namespace conccl::test {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr std::size_t kBytes = 8192;

/// A window of every rank over memory of its own.
struct Registered {
  explicit Registered(Ranks& ranks) : windows(ranks.comms.size()) {
    for (std::size_t rank = 0; rank < windows.size(); ++rank) buffers.emplace_back(kBytes);
    EXPECT_OK(concclGroupStart());
    for (std::size_t rank = 0; rank < windows.size(); ++rank) {
      EXPECT_OK(concclCommWindowRegister(ranks.comms[rank], buffers[rank].data(), kBytes,
                                         &windows[rank], CONCCL_WIN_COLL_SYMMETRIC));
    }
    EXPECT_OK(concclGroupEnd());
  }

  void deregister(Ranks& ranks) const {
    for (std::size_t rank = 0; rank < windows.size(); ++rank) {
      EXPECT_OK(concclCommWindowDeregister(ranks.comms[rank], windows[rank]));
    }
  }

  std::vector<Buffer> buffers;
  std::vector<concclWindow_t> windows;
};

TEST(CMemory, AllocatedWrittenFreed) {
  void* data = nullptr;
  ASSERT_OK(concclMemAlloc(&data, kBytes));
  ASSERT_NE(data, nullptr);
  std::memset(data, 0x5a, kBytes);
  EXPECT_OK(concclMemFree(data));
}

TEST(CMemory, NothingAndTooMuch) {
  void* data = &data;
  EXPECT_OK(concclMemAlloc(&data, 0));
  EXPECT_EQ(data, nullptr);
  EXPECT_OK(concclMemFree(nullptr));
  expect_refused(concclMemAlloc(nullptr, 16), concclInvalidArgument, "ptr is NULL");
  data = &data;
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX / 2, std::size_t{1} << 60U}) {
    expect_refused(concclMemAlloc(&data, bytes), concclSystemError, "");
  }
  EXPECT_EQ(data, &data) << "outputs are written on success alone";
}

TEST(CMemory, OnlyWhatWasGivenIsFreedAndOnce) {
  void* data = nullptr;
  ASSERT_OK(concclMemAlloc(&data, kBytes));
  expect_refused(concclMemFree(static_cast<char*>(data) + 64), concclInvalidArgument,
                 "is not an address");
  int local = 0;
  EXPECT_EQ(concclMemFree(&local), concclInvalidArgument);
  EXPECT_EQ(concclMemFree(reinterpret_cast<void*>(std::uintptr_t{16})), concclInvalidArgument);
  EXPECT_OK(concclMemFree(data));
  expect_refused(concclMemFree(data), concclInvalidArgument, "or is freed");
}

TEST(CMemory, OutlivesEveryCommunicator) {
  const Buffer buffer(kBytes);
  {
    const Ranks ranks(2);
  }
  std::memset(buffer.data(), 1, kBytes);
}

TEST(CWindows, CallsOnWindowsMoveTheBytes) {
  const Gather gather(2, 100);
  Ranks ranks(2);
  std::vector<concclWindow_t> windows(4);
  ASSERT_OK(concclGroupStart());
  for (std::size_t rank = 0; rank < 2; ++rank) {
    EXPECT_OK(concclCommWindowRegister(ranks.comms[rank], gather.send[rank].data(), 400,
                                       &windows[rank], CONCCL_WIN_DEFAULT));
    EXPECT_OK(concclCommWindowRegister(ranks.comms[rank], gather.recv[rank].data(), 800,
                                       &windows[2 + rank], CONCCL_WIN_DEFAULT));
  }
  EXPECT_THAT(windows, Each(nullptr)) << "filled by the group's end";
  ASSERT_OK(concclGroupEnd());
  EXPECT_THAT(windows, Each(testing::NotNull()));
  for (int rank = 0; rank < 2; ++rank) EXPECT_OK(gather.call(ranks, rank));  // nothing waits
  ranks.synchronize();
  EXPECT_TRUE(gather.right());
}

TEST(CWindows, RegisteredOnThreads) {
  const Buffer first(kBytes);
  const Buffer second(kBytes);
  Ranks ranks(2);
  std::vector<concclWindow_t> windows(2);
  EXPECT_THAT(on_each_rank(2,
                           [&](int rank) {
                             return concclCommWindowRegister(
                                 ranks.comms[at(rank)], rank == 0 ? first.data() : second.data(),
                                 kBytes, &windows[at(rank)], CONCCL_WIN_DEFAULT);
                           }),
              Each(concclSuccess));
  EXPECT_NE(windows[0], windows[1]);
}

TEST(CWindows, MemoryWithAWindowInItIsNotFreed) {
  Ranks ranks(2);
  Registered registered(ranks);
  auto* const words = registered.buffers[1].words();
  words[0] = 7;
  expect_refused(concclMemFree(words), concclInvalidUsage,
                 "a window of communicator 'world', rank 1");
  EXPECT_EQ(words[0], 7) << "nothing was freed";
  registered.deregister(ranks);
  EXPECT_OK(concclMemFree(registered.buffers[1].release()));
}

TEST(CWindows, EndWithTheirCommunicator) {
  Ranks ranks(2);
  Registered registered(ranks);
  EXPECT_OK(concclCommDestroy(std::exchange(ranks.comms[0], nullptr)));
  EXPECT_OK(concclMemFree(registered.buffers[0].release()));
  EXPECT_EQ(concclCommWindowDeregister(ranks.comms[1], registered.windows[0]),
            concclInvalidArgument);
  EXPECT_EQ(concclMemFree(registered.buffers[1].data()), concclInvalidUsage);
  EXPECT_OK(concclCommWindowDeregister(ranks.comms[1], registered.windows[1]));
}

TEST(CWindows, DeregisteredTwiceOrElsewhere) {
  Ranks ranks(2);
  const Registered registered(ranks);
  expect_refused(concclCommWindowDeregister(ranks.comms[0], registered.windows[1]),
                 concclInvalidArgument, "is not one of communicator 'world', rank 0");
  registered.deregister(ranks);
  EXPECT_EQ(concclCommWindowDeregister(ranks.comms[0], registered.windows[0]),
            concclInvalidArgument);
}

TEST(CWindows, WrongArguments) {
  Ranks ranks(1);
  const Buffer buffer(kBytes);
  const auto add = [&](void* data, std::size_t bytes, concclWindow_t* window, int flags) {
    return concclCommWindowRegister(ranks.comms[0], data, bytes, window, flags);
  };
  concclWindow_t window = nullptr;
  expect_refused(add(buffer.data(), kBytes, nullptr, 0), concclInvalidArgument, "win is NULL");
  expect_refused(add(buffer.data(), kBytes, &window, 4), concclInvalidArgument, "flags 0x4");
  expect_refused(add(nullptr, kBytes, &window, 0), concclInvalidArgument, "window");
  expect_refused(add(buffer.data(), 0, &window, 0), concclInvalidArgument, "window");
  expect_refused(add(buffer.data(), kBytes + 1, &window, 0), concclInvalidArgument, "window");
  expect_refused(add(buffer.data(), SIZE_MAX, &window, 0), concclInvalidArgument, "window");
  EXPECT_EQ(window, nullptr);
}

TEST(CWindows, ARefusedRegistrationLeavesTheMemoryFree) {
  Ranks ranks(1);
  Buffer buffer(kBytes);
  concclWindow_t window = nullptr;
  EXPECT_EQ(concclCommWindowRegister(ranks.comms[0], buffer.data(), kBytes + 1, &window, 0),
            concclInvalidArgument);
  EXPECT_OK(concclMemFree(buffer.release()));
}

TEST(CWindows, ARankThatDoesNotRegister) {
  const auto config = with_deadline(200);
  Ranks ranks(2, &config);
  Buffer buffer(kBytes);
  concclWindow_t window = nullptr;
  expect_refused(
      concclCommWindowRegister(ranks.comms[0], buffer.data(), kBytes, &window, CONCCL_WIN_DEFAULT),
      concclRemoteError, "rank 1");
  EXPECT_EQ(window, nullptr);
  EXPECT_OK(concclMemFree(buffer.release()));
}

}  // namespace
}  // namespace conccl::test
