// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// NCCL as it is called, on a library that only keeps a record of its calls.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <climits>
#include <mutex>
#include <sstream>
#include <thread>

#include "bench/peers/nccl_communicator.hpp"
#include "conccl/core/errors.hpp"
#include "tests/bench/peers/fake.hpp"

namespace conccl::bench {
namespace {

using namespace std::chrono_literals;
using nccl::CommSpec;
using nccl::Communicator;
using test::error_of;
using test::Fake;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class NcclCommunicator : public testing::Test {
 protected:
  /// Rank 1 of 3.
  std::unique_ptr<Communicator> make(CommSpec spec = {1, 3}) {
    return std::make_unique<Communicator>(api_, spec, nccl::make_unique_id(*api_), caller_);
  }
  static plan::Request request(plan::Collective collective, plan::Placement placement) {
    return {collective, 3, 100, placement};
  }

  Fake fake_{FAKE_NCCL};
  std::shared_ptr<const nccl::Api> api_ = nccl::open_nccl(FAKE_NCCL);
  BoundedCaller caller_{10s, {}};
  std::array<std::byte, 300> send_{};
  std::array<std::byte, 300> recv_{};
};

TEST_F(NcclCommunicator, ConfigurationIsAsItsHeaderLaysItOut) {
  const std::string undefined = std::to_string(INT_MIN);
  const std::string head =
      "ncclCommInitRankConfig ranks 3 rank 1 id 7 7 size 80 magic 3405692655 version 22800 "
      "blocking 1 min " +
      undefined;
  (void)make();
  EXPECT_THAT(fake_.log(),
              HasSubstr(head + " max " + undefined + " policy 0 net 1 name 1 last " + undefined));
  (void)make({1, 3, 8, nccl::kPolicyZero});
  EXPECT_THAT(fake_.log(), HasSubstr(head + " max 8 policy 2"));
}

TEST_F(NcclCommunicator, InPlaceSendsTheOwnBlockOfRecv) {
  const auto comm = make();
  comm->enqueue(request(plan::Collective::all_gather, plan::Placement::in_place),
                {nullptr, recv_.data()}, &fake_);
  std::ostringstream expected;
  expected << "ncclAllGather " << static_cast<void*>(recv_.data() + 100) << " "
           << static_cast<void*>(recv_.data()) << " 100 0 " << static_cast<void*>(&fake_);
  EXPECT_THAT(fake_.log(), HasSubstr(expected.str()));
}

TEST_F(NcclCommunicator, AllToAllHasBothBuffers) {
  const auto comm = make();
  comm->enqueue_first(request(plan::Collective::all_to_all, plan::Placement::out_of_place),
                      {send_.data(), recv_.data()}, nullptr);
  std::ostringstream expected;
  expected << "ncclAlltoAll " << static_cast<void*>(send_.data()) << " "
           << static_cast<void*>(recv_.data()) << " 100 0 ";
  EXPECT_THAT(fake_.log(), HasSubstr(expected.str()));
}

TEST_F(NcclCommunicator, WindowsAreSymmetric) {
  const auto comm = make();
  const auto window = comm->register_window(recv_.data(), 300);
  ASSERT_NE(window, nullptr);
  comm->deregister(window);
  std::ostringstream expected;
  expected << "ncclCommWindowRegister " << static_cast<void*>(recv_.data()) << " 300 1\n"
           << "ncclCommWindowDeregister " << static_cast<void*>(recv_.data()) << "\n";
  EXPECT_THAT(fake_.log(), HasSubstr(expected.str()));
  fake_.call("fake_no_symmetric_memory");
  EXPECT_EQ(comm->register_window(recv_.data(), 300), nullptr);
}

TEST_F(NcclCommunicator, IsFinalizedBeforeItIsDestroyed) {
  (void)make();
  EXPECT_THAT(fake_.log(), testing::EndsWith("ncclCommFinalize\nncclCommDestroy\n"));
}

TEST_F(NcclCommunicator, IsAbortedAfterAFailure) {
  make()->give_up();
  EXPECT_THAT(fake_.log(),
              AllOf(testing::EndsWith("ncclCommAbort\n"), Not(HasSubstr("ncclCommFinalize"))));
}

TEST_F(NcclCommunicator, ErrorsNameCallCodeAndText) {
  const auto comm = make();
  const auto gather = request(plan::Collective::all_gather, plan::Placement::in_place);
  const auto exchange = request(plan::Collective::all_to_all, plan::Placement::out_of_place);
  const auto expect = [&](const char* call, const auto& action) {
    fake_.fail(call, 5);
    EXPECT_EQ(error_of<RunError>(action), std::string(call) + ": made to fail (5): the last words");
  };
  expect("ncclGetUniqueId", [&] { (void)nccl::make_unique_id(*api_); });
  expect("ncclCommInitRankConfig", [&] { (void)make(); });
  expect("ncclAllGather", [&] { comm->enqueue(gather, {nullptr, recv_.data()}, nullptr); });
  expect("ncclAllGather", [&] { comm->enqueue_first(gather, {nullptr, recv_.data()}, nullptr); });
  expect("ncclAlltoAll", [&] { comm->enqueue(exchange, {send_.data(), recv_.data()}, nullptr); });
  expect("ncclCommWindowRegister", [&] { (void)comm->register_window(recv_.data(), 300); });
  expect("ncclCommWindowDeregister", [&] { comm->deregister(nullptr); });
  expect("ncclCommGetAsyncError", [&] { comm->check_async(); });
}

TEST_F(NcclCommunicator, AFailureThatNcclNoticedLaterIsAnError) {
  const auto comm = make();
  comm->check_async();
  fake_.async_error(6);
  EXPECT_THAT(error_of<RunError>([&] { comm->check_async(); }),
              HasSubstr("NCCL's communicator: made to fail (6)"));
}

TEST_F(NcclCommunicator, RanksThatDoNotComeEndInAnError) {
  fake_.slow_down("ncclCommInitRankConfig");
  caller_.limit = 20ms;
  EXPECT_EQ(error_of<RunError>([&] { (void)make(); }),
            "ncclCommInitRankConfig: not done after 20 ms");
}

TEST_F(NcclCommunicator, EveryThreadEntersTheContextFirst) {
  std::mutex mutex;
  std::vector<std::thread::id> entered;
  caller_.enter = [&] {
    const std::lock_guard lock(mutex);
    entered.push_back(std::this_thread::get_id());
  };
  const auto comm = make();
  (void)comm->register_window(recv_.data(), 300);
  const std::lock_guard lock(mutex);
  ASSERT_EQ(entered.size(), 2U);
  EXPECT_THAT(entered, testing::Each(testing::Ne(std::this_thread::get_id())));
}

}  // namespace
}  // namespace conccl::bench
