// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What `conccl bench` is made of: its byte check on calls that do too little, a peer as a library,
// and where ranks reach each other's windows.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/collective_bench_check.hpp"
#include "conccl/backend/registry.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

using plan::Collective;
using plan::Placement;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Bytes kBlock = 1000;

class BenchParts : public testing::Test {
 protected:
  static plan::Request request(int ranks, Placement placement = Placement::in_place) {
    return {Collective::all_gather, ranks, kBlock, placement};
  }

  std::unique_ptr<backend::Backend> backend_ = backend::open("host");
};

/// Says that it is done and has done nothing.
class IdleCall final : public Call {
 public:
  IdleCall(Ranks& ranks, Kind kind) : ranks_(ranks), kind_(kind) {}
  void enqueue() override {}
  [[nodiscard]] backend::Queue& queue(std::size_t local) const override {
    return ranks_.stream(local);
  }
  void synchronize() override { ranks_.synchronize(); }
  [[nodiscard]] Kind kind() const override { return kind_; }

 private:
  Ranks& ranks_;
  Kind kind_;
};

class IdleCalls : public BenchParts, public testing::WithParamInterface<Call::Kind> {};

TEST_P(IdleCalls, AreFoundWrongInEveryByteThatTheyPromise) {
  Ranks ranks(*backend_, 3, comm::Options{});
  CallTimer timer(ranks, nullptr);
  const BenchBuffers buffers(ranks, request(3), BenchBuffers::Kind::windows);
  CallChecker checker(ranks, buffers, timer, 1);
  TimedCall idle(ranks, std::make_unique<IdleCall>(ranks, GetParam()), CallMethod::stream, 1);
  Findings findings;
  checker.check(idle, {"idle", request(3), 1}, findings);
  // In place, the own third is there; a byte in 256 of the rest is right by chance.
  EXPECT_GT(findings.wrong, 3 * 2 * kBlock * 9 / 10);
  EXPECT_LE(findings.wrong, 3 * 2 * kBlock);
  EXPECT_THAT(findings.first, HasSubstr("idle stream, all_gather of 3000 bytes, in place: rank 0"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, IdleCalls,
                         testing::Values(Call::Kind::collective, Call::Kind::bare));

/// Keeps a record; its collective leaves the poison where it is, or not even the input.
class FakePeer final : public Peer {
 public:
  FakePeer(Ranks& ranks, std::vector<std::string>& log) : ranks_(ranks), log_(log) {}
  [[nodiscard]] const PeerFacts& facts() const override { return facts_; }
  [[nodiscard]] std::vector<int> cta_limits() const override { return {4}; }
  void attach(const PeerBuffers& buffers) override {
    buffers_ = buffers;
    log_.emplace_back("attach");
  }
  void detach() override {
    log_.emplace_back("detach");
    throw RunError("made to fail");
  }
  void prepare(const plan::Request& request) override {
    log_.push_back("prepare " + std::string(name_of(request.placement)));
  }
  [[nodiscard]] std::unique_ptr<backend::Task> make_collective(const plan::Request& /*request*/,
                                                               int ctas) override {
    log_.push_back("collective " + std::to_string(ctas));
    return ranks_.device(0).make_poison(buffers_.recv, buffers_.recv_bytes);
  }
  void give_up() noexcept override {}

 private:
  PeerFacts facts_{"fake", "1", {}, {}};
  Ranks& ranks_;
  std::vector<std::string>& log_;
  PeerBuffers buffers_;
};

TEST_F(BenchParts, APeerIsAttachedPreparedCheckedAndDetached) {
  Ranks ranks(*backend_, 1, comm::Options{});
  CallTimer timer(ranks, nullptr);
  const BenchBuffers buffers(ranks, request(1, Placement::out_of_place),
                             BenchBuffers::Kind::windows);
  CallChecker checker(ranks, buffers, timer, 1);
  std::vector<std::string> log;
  FakePeer peer(ranks, log);
  Findings findings;
  {
    const auto library = make_peer_library(ranks, buffers, peer);
    EXPECT_EQ(library->name(), "fake");
    TimedCall timed(ranks, library->make_call(request(1)), CallMethod::stream, 3);
    const CallTime time = timer.time(timed, 3);
    EXPECT_GT(time.device.count(), 0);
    EXPECT_GE(time.host, time.device);
    checker.check(timed, {library->name(), request(1), 1}, findings);
  }
  EXPECT_THAT(log, ElementsAre("attach", "prepare in place", "collective 0", "detach"));
  EXPECT_GT(findings.wrong, kBlock * 9 / 10);
  EXPECT_THAT(findings.first, HasSubstr("fake stream"));
}

TEST_F(BenchParts, RanksReachEachOthersWindows) {
  Ranks ranks(*backend_, 2, comm::Options{});
  const BenchBuffers buffers(ranks, request(2, Placement::out_of_place),
                             BenchBuffers::Kind::windows);
  for (std::size_t local = 0; local < 2; ++local) {
    for (int rank = 0; rank < 2; ++rank) {
      EXPECT_EQ(buffers.output_of(local, rank), buffers.recv(static_cast<std::size_t>(rank)).at(0));
    }
  }
  EXPECT_EQ(buffers.input_of(0, 1, request(2)), buffers.recv(1).at(kBlock));
  EXPECT_EQ(buffers.input_of(0, 1, request(2, Placement::out_of_place)), buffers.send(1).at(0));
  const auto& communicator = ranks.communicator(0);
  EXPECT_THROW(static_cast<void>(communicator.address({7}, 0)), InputError);
  EXPECT_THROW(static_cast<void>(communicator.address({0}, 2)), InputError);
  EXPECT_THROW(static_cast<void>(communicator.address({0}, -1)), InputError);
}

}  // namespace
}  // namespace conccl::bench
