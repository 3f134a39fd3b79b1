// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// NCCL's two ways as a study has them beside its own, on a library that only keeps a record.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "bench/peers/nccl_peer.hpp"
#include "bench/peers/peers.hpp"
#include "conccl/backend/registry.hpp"
#include "conccl/core/errors.hpp"
#include "tests/bench/peers/fake.hpp"

namespace conccl::bench {
namespace {

using namespace std::chrono_literals;
using test::error_of;
using test::Fake;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

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
    EXPECT_EQ(facts.reason, "runs on CUDA streams, which the host backend has not");
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
