// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Every function with every handle that is none.

#include <utility>

#include "tests/capi/support.hpp"

namespace conccl::test {
namespace {

/// Calls every function that takes a communicator; each must say concclInvalidArgument.
void refuse_comm(concclComm_t comm, concclStream_t stream) {
  int number = 0;
  concclResult_t error = concclSuccess;
  concclStream_t made = nullptr;
  concclWindow_t window = nullptr;
  char bytes[16] = {};
  const std::vector<std::pair<const char*, concclResult_t>> results = {
      {"concclCommDestroy", concclCommDestroy(comm)},
      {"concclCommAbort", concclCommAbort(comm)},
      {"concclCommGetAsyncError", concclCommGetAsyncError(comm, &error)},
      {"concclCommCount", concclCommCount(comm, &number)},
      {"concclCommUserRank", concclCommUserRank(comm, &number)},
      {"concclCommDevice", concclCommDevice(comm, &number)},
      {"concclAllGather", concclAllGather(bytes, bytes + 8, 1, concclInt8, comm, stream)},
      {"concclAlltoAll", concclAlltoAll(bytes, bytes + 8, 1, concclInt8, comm, stream)},
      {"concclCommWindowRegister",
       concclCommWindowRegister(comm, bytes, sizeof bytes, &window, CONCCL_WIN_DEFAULT)},
      {"concclCommWindowDeregister", concclCommWindowDeregister(comm, window)},
      {"concclStreamCreate", concclStreamCreate(&made, comm)},
  };
  for (const auto& [function, result] : results) {
    EXPECT_EQ(result, concclInvalidArgument) << function;
  }
  EXPECT_EQ(made, nullptr);
}

void refuse_stream(concclStream_t stream, concclComm_t comm) {
  char bytes[16] = {};
  expect_refused(concclStreamSynchronize(stream, 0), concclInvalidArgument, "is not alive");
  expect_refused(concclStreamQuery(stream), concclInvalidArgument, "is not alive");
  expect_refused(concclStreamDestroy(stream), concclInvalidArgument, "is not alive");
  expect_refused(concclAllGather(bytes, bytes + 8, 1, concclInt8, comm, stream),
                 concclInvalidArgument, "concclAllGather: stream");
  expect_refused(concclAlltoAll(bytes, bytes + 8, 1, concclInt8, comm, stream),
                 concclInvalidArgument, "concclAlltoAll: stream");
}

/// Pointers that no allocation and no handle of the library could be, and some that could.
std::vector<void*> garbage() {
  static int object = 0;
  std::vector<void*> found = {nullptr, &object};
  for (const std::uintptr_t value : {std::uintptr_t{1}, std::uintptr_t{0xdeadbeef}, UINTPTR_MAX,
                                     UINTPTR_MAX / 2, std::uintptr_t{0x7fff} << 32U}) {
    found.push_back(reinterpret_cast<void*>(value));
  }
  return found;
}

TEST(CHandles, GarbageForACommunicator) {
  const Ranks ranks(1);
  for (auto* value : garbage()) refuse_comm(static_cast<concclComm_t>(value), ranks.streams[0]);
}

TEST(CHandles, GarbageForAStream) {
  const Ranks ranks(1);
  for (auto* value : garbage()) refuse_stream(value, ranks.comms[0]);
}

TEST(CHandles, GarbageForAWindow) {
  const Ranks ranks(1);
  for (auto* value : garbage()) {
    expect_refused(concclCommWindowDeregister(ranks.comms[0], static_cast<concclWindow_t>(value)),
                   concclInvalidArgument, "concclCommWindowDeregister: window");
  }
}

TEST(CHandles, OneKindForAnother) {
  const Ranks ranks(1);
  refuse_comm(static_cast<concclComm_t>(ranks.streams[0]), ranks.streams[0]);
  refuse_stream(ranks.comms[0], ranks.comms[0]);
}

TEST(CHandles, Destroyed) {
  Ranks ranks(1);
  concclComm_t comm = nullptr;
  concclStream_t stream = nullptr;
  ASSERT_OK(concclCommInitAll(&comm, 1, nullptr));
  ASSERT_OK(concclStreamCreate(&stream, comm));
  ASSERT_OK(concclStreamDestroy(stream));
  ASSERT_OK(concclCommDestroy(comm));
  refuse_comm(comm, ranks.streams[0]);
  refuse_stream(stream, ranks.comms[0]);
}

TEST(CHandles, OutputsThatAreNull) {
  const Ranks ranks(1);
  auto* const comm = ranks.comms[0];
  expect_refused(concclCommCount(comm, nullptr), concclInvalidArgument, "count is NULL");
  expect_refused(concclCommUserRank(comm, nullptr), concclInvalidArgument, "rank is NULL");
  expect_refused(concclCommDevice(comm, nullptr), concclInvalidArgument, "device is NULL");
  expect_refused(concclCommGetAsyncError(comm, nullptr), concclInvalidArgument, "error is NULL");
  expect_refused(concclStreamCreate(nullptr, comm), concclInvalidArgument, "stream is NULL");
  expect_refused(concclCommInitFromEnv(nullptr, nullptr), concclInvalidArgument, "comm is NULL");
}

}  // namespace
}  // namespace conccl::test
