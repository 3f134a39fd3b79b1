// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Versions, results and the text of the last error.

#include <thread>

#include "tests/capi/support.hpp"

namespace conccl::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

extern "C" int conccl_test_c11_version(void);

TEST(CErrors, VersionIsTheHeaders) {
  int version = 0;
  ASSERT_OK(concclGetVersion(&version));
  EXPECT_EQ(version, CONCCL_VERSION_CODE);
  EXPECT_EQ(conccl_test_c11_version(), version) << "a C11 program's view of the header";
  expect_refused(concclGetVersion(nullptr), concclInvalidArgument, "version is NULL");
}

TEST(CErrors, EveryResultHasItsOwnWords) {
  std::vector<std::string> seen;
  for (int result = 0; result < concclNumResults; ++result) {
    const std::string words = concclGetErrorString(static_cast<concclResult_t>(result));
    EXPECT_THAT(words, testing::Not(IsEmpty()));
    EXPECT_THAT(seen, testing::Not(testing::Contains(words)));
    seen.push_back(words);
  }
  EXPECT_STREQ(concclGetErrorString(static_cast<concclResult_t>(-7)), "unknown result");
  EXPECT_STREQ(concclGetErrorString(static_cast<concclResult_t>(9999)), "unknown result");
}

TEST(CErrors, TextBelongsToTheThread) {
  expect_refused(concclGetVersion(nullptr), concclInvalidArgument, "concclGetVersion");
  std::jthread([] {
    EXPECT_THAT(last_error(), IsEmpty());
    expect_refused(concclMemAlloc(nullptr, 1), concclInvalidArgument, "concclMemAlloc");
  }).join();
  EXPECT_THAT(last_error(), HasSubstr("concclGetVersion"));
}

TEST(CErrors, SuccessLeavesTheText) {
  expect_refused(concclGetVersion(nullptr), concclInvalidArgument, "concclGetVersion");
  int version = 0;
  ASSERT_OK(concclGetVersion(&version));
  EXPECT_THAT(last_error(), HasSubstr("concclGetVersion"));
}

TEST(CErrors, TextOfACommunicatorIsSeenFromAnyThread) {
  Ranks ranks(2);
  EXPECT_THAT(last_error(ranks.comms[0]), IsEmpty());
  std::jthread([&] {
    expect_refused(concclCommCount(ranks.comms[0], nullptr), concclInvalidArgument, "count");
  }).join();
  EXPECT_THAT(last_error(ranks.comms[0]), HasSubstr("concclCommCount: count is NULL"));
  EXPECT_THAT(last_error(ranks.comms[1]), IsEmpty());
}

TEST(CErrors, TextOfADeadCommunicatorSaysSo) {
  concclComm_t comm = nullptr;
  ASSERT_OK(concclCommInitAll(&comm, 1, nullptr));
  ASSERT_OK(concclCommDestroy(comm));
  EXPECT_THAT(last_error(comm), HasSubstr("is not alive"));
}

}  // namespace
}  // namespace conccl::test
