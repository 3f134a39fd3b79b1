// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// NCCL as it is called, on a library that only keeps a record of its calls.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "bench/peers/nccl_communicator.hpp"
#include "bench/peers/nccl_peer.hpp"
#include "bench/peers/peers.hpp"
#include "conccl/backend/registry.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

using namespace std::chrono_literals;
using nccl::Buffers;
using nccl::CommSpec;
using nccl::Communicator;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// What the fake library is steered with.
class Fake {
 public:
  explicit Fake(const char* path) : library_(dlopen(path, RTLD_NOW)) { call("fake_reset"); }
  ~Fake() { call("fake_reset"); }
  Fake(const Fake&) = delete;
  Fake& operator=(const Fake&) = delete;

  [[nodiscard]] std::string log() const { return find<const char*()>("fake_log")(); }
  void fail(const char* name, int code) const {
    find<void(const char*, int)>("fake_fail")(name, code);
  }
  void slow_down(const char* name) const { find<void(const char*)>("fake_slow_down")(name); }
  void async_error(int code) const { find<void(int)>("fake_async_error")(code); }
  void call(const char* name) const { find<void()>(name)(); }

 private:
  template <typename Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }
  void* library_;
};

template <typename Wanted>
std::string error_of(const auto& action) {
  try {
    action();
  } catch (const Wanted& error) {
    return error.what();
  }
  return "nothing thrown";
}

/// The environment as it was, afterwards.
class Variable {
 public:
  explicit Variable(const char* name) : name_(name) {
    if (const char* value = std::getenv(name)) before_ = value;
    unsetenv(name);
  }
  ~Variable() {
    if (before_) setenv(name_, before_->c_str(), 1);
    if (!before_) unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class FindNccl : public testing::Test {
 protected:
  Variable path_{"CONCCL_NCCL"};
  Variable multicast_{"NCCL_NVLS_ENABLE"};
  Variable other_{"NCCL_ALGO"};
  Variable debug_{"NCCL_DEBUG"};
};

TEST_F(FindNccl, OpensWhatTheVariableNamesWithMulticastOff) {
  setenv("CONCCL_NCCL", FAKE_NCCL, 1);
  const auto api = nccl::find_nccl();
  EXPECT_EQ(api->path, FAKE_NCCL);
  EXPECT_EQ(api->version(), "2.28.9");
  EXPECT_STREQ(std::getenv("NCCL_NVLS_ENABLE"), "0");
}

TEST_F(FindNccl, LeavesTheUsersOwnChoiceOfMulticast) {
  setenv("CONCCL_NCCL", FAKE_NCCL, 1);
  setenv("NCCL_NVLS_ENABLE", "1", 1);
  EXPECT_EQ(nccl::find_nccl()->code, 22809);
  EXPECT_STREQ(std::getenv("NCCL_NVLS_ENABLE"), "1");
}

TEST_F(FindNccl, TheFirstVersionWithCopyEnginesIsTaken) {
  EXPECT_EQ(nccl::open_nccl(FAKE_NCCL_FIRST)->version(), "2.28.3");
}

TEST_F(FindNccl, RefusesByName) {
  EXPECT_THAT(error_of<Unavailable>([] { (void)nccl::open_nccl("/no/libnccl.so.2"); }),
              HasSubstr("/no/libnccl.so.2"));
  EXPECT_THAT(error_of<Unavailable>([] { (void)nccl::open_nccl(FAKE_NCCL_OLD); }),
              AllOf(HasSubstr(FAKE_NCCL_OLD), HasSubstr("is NCCL 2.27.5, expected 2.28.3")));
  EXPECT_THAT(error_of<Unavailable>([] { (void)nccl::open_nccl(FAKE_NCCL_PARTIAL); }),
              HasSubstr("has no ncclAlltoAll"));
  setenv("CONCCL_NCCL", "/no/where.so", 1);
  EXPECT_THAT(error_of<Unavailable>([] { (void)nccl::find_nccl(); }), HasSubstr("/no/where.so"));
}

TEST_F(FindNccl, TellsWhatSteersIt) {
  setenv("NCCL_NVLS_ENABLE", "0", 1);
  setenv("NCCL_ALGO", "Ring", 1);
  setenv("NCCL_DEBUG", "INFO", 1);
  EXPECT_THAT(nccl::environment(),
              AllOf(HasSubstr("NCCL_ALGO=Ring"), HasSubstr("NCCL_NVLS_ENABLE=0"),
                    Not(HasSubstr("NCCL_DEBUG"))));
}

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

/// One rank on the host stands for a process with its one rank.
class NcclPeers : public testing::Test {
 protected:
  NcclSetting setting() { return {&ranks_, nccl::open_nccl(FAKE_NCCL), {}, {10s, {}}}; }

  Fake fake_{FAKE_NCCL};
  std::unique_ptr<backend::Backend> backend_ = backend::open("host");
  Ranks ranks_{*backend_, 1, comm::Options{}};
  std::array<std::byte, 64> recv_{};
};

TEST_F(NcclPeers, KernelsHaveACommunicatorPerLimit) {
  const NcclKernels peer(setting());
  EXPECT_EQ(peer.facts().name, "nccl");
  EXPECT_EQ(peer.facts().version, "2.28.9");
  EXPECT_THAT(peer.facts().notes, testing::Contains(HasSubstr(FAKE_NCCL)));
  EXPECT_THAT(peer.cta_limits(), ElementsAre(4, 8, 16, 32));
  for (const auto* limit : {" max 4 ", " max 8 ", " max 16 ", " max 32 "}) {
    EXPECT_THAT(fake_.log(), HasSubstr(limit));
  }
}

TEST_F(NcclPeers, KernelsRunOnceUnderEveryLimitBeforeTheyCount) {
  NcclKernels peer(setting());
  peer.attach({nullptr, 0, recv_.data(), 64});
  fake_.call("fake_reset");
  peer.prepare({plan::Collective::all_gather, 1, 64, plan::Placement::in_place});
  std::size_t runs = 0;
  const std::string log = fake_.log();
  for (auto at = log.find("ncclAllGather"); at != std::string::npos;
       at = log.find("ncclAllGather", at + 1)) {
    ++runs;
  }
  EXPECT_EQ(runs, 5U);
  EXPECT_THAT(log, Not(HasSubstr("Window")));
  fake_.async_error(6);
  EXPECT_THROW(peer.detach(), RunError);
}

TEST_F(NcclPeers, KernelsThatGaveUpAreAborted) {
  NcclKernels peer(setting());
  peer.give_up();
  EXPECT_THAT(fake_.log(), AllOf(HasSubstr("ncclCommAbort"), Not(HasSubstr("ncclCommDestroy"))));
}

TEST_F(NcclPeers, CopiesWithoutSymmetricMemoryAreUnavailable) {
  fake_.call("fake_no_symmetric_memory");
  EXPECT_THAT(error_of<Unavailable>([this] { const NcclCopies peer(setting()); }),
              HasSubstr("no symmetric memory"));
  EXPECT_THAT(fake_.log(), AllOf(HasSubstr("policy 2"), HasSubstr("ncclCommAbort")));
}

TEST_F(NcclPeers, CopiesAreNotBelievedUnseen) {
  // The fake enqueues nothing, and without a GPU there is no graph to look into.
  EXPECT_THROW(const NcclCopies peer(setting()), Error);
  EXPECT_THAT(fake_.log(), AllOf(HasSubstr("ncclCommWindowRegister"), HasSubstr("ncclAllGather"),
                                 HasSubstr("ncclCommAbort")));
}

TEST(PeersOfAStudy, OnTheHostSayWhyThereAreNone) {
  const auto backend = backend::open("host");
  Ranks ranks(*backend, 2, comm::Options{});
  const Peers peers(ranks, backend->capabilities(), StudyOptions{});
  EXPECT_TRUE(peers.carriers().empty());
  ASSERT_EQ(peers.facts().size(), 2U);
  EXPECT_EQ(peers.facts()[0].name, "nccl");
  EXPECT_EQ(peers.facts()[1].name, "nccl_ce");
  for (const auto& facts : peers.facts()) {
    EXPECT_EQ(facts.reason, "runs on CUDA devices, not on the host backend");
    EXPECT_EQ(facts.version, "");
  }
  EXPECT_EQ(peers.find(c3::Carrier::vendor_kernels), nullptr);
  EXPECT_EQ(peers.find(c3::Carrier::own), nullptr);
}

TEST(PeersOfAStudy, NeedAProcessPerRank) {
  const auto backend = backend::open("host");
  Ranks ranks(*backend, 2, comm::Options{});
  backend::Capabilities capabilities = backend->capabilities();
  capabilities.backend = "cuda";
  const Peers peers(ranks, capabilities, StudyOptions{});
  EXPECT_THAT(peers.why_not(c3::Carrier::vendor_copies), HasSubstr("--launch processes"));
}

TEST(PeersOfAStudy, AreLeftOutWhenNotAskedFor) {
  const auto backend = backend::open("host");
  Ranks ranks(*backend, 2, comm::Options{});
  StudyOptions options;
  options.peers = PeerPolicy::none;
  const Peers peers(ranks, backend->capabilities(), options);
  EXPECT_EQ(peers.why_not(c3::Carrier::vendor_kernels), "not asked for");
}

}  // namespace
}  // namespace conccl::bench
