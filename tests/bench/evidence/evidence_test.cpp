// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Rounds of evidence on ranks that run: what is merged, what is learnt, what a missing tracer does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/evidence/evidence_round.hpp"
#include "conccl/core/errors.hpp"
#include "tests/bench/trace_support.hpp"

namespace conccl::bench {
namespace {

using test::Stage;

/// Has on record what it was given, one entry per recording.
class ScriptedTracer : public Tracer {
 public:
  explicit ScriptedTracer(std::vector<Evidence> script) : script_(std::move(script)) {}
  void start() override { ++started_; }
  Evidence stop() override { return script_.at(started_ - 1); }

 private:
  std::vector<Evidence> script_;
  std::size_t started_ = 0;
};

OpenTracer scripted(std::vector<Evidence> script) {
  return [script] { return std::make_unique<ScriptedTracer>(script); };
}

Evidence pushed(Bytes bytes, std::vector<KernelRecord> kernels) {
  CopyRecord copy;
  copy.kind = CopyKind::peer;
  copy.bytes = bytes;
  copy.destination = 1;
  copy.type = ChannelType::copy_engine;
  return {"scripted", {copy}, std::move(kernels)};
}

const std::vector<KernelRecord> kGemm{{"gemm", 0, {}, {}}};
const std::vector<KernelRecord> kGemmAndGather{{"gemm", 0, {}, {}}, {"gather", 0, {}, {}}};
constexpr Parts kBoth{Parts::Kind::both};

Configuration gemm_of(const Stage& stage) { return gemm_alone(stage.workload.request(), {}); }

TEST(EvidenceRound, AddsUpWhatEveryProcessRecorded) {
  test::on_ranks_apart(3, [](Stage& stage) {
    EvidenceRound round(stage.ranks, stage.workload,
                        scripted({pushed(0, kGemm), pushed(2 * test::kBlock, kGemm)}));
    round.learn_gemm(gemm_of(stage));
    const auto row = round.look_at(stage.strategy(), kBoth);
    EXPECT_EQ(row.carrier, Carrier::copy_engines) << row.text;
    EXPECT_EQ(row.expected_bytes, 6 * test::kBlock);
    EXPECT_EQ(row.traffic.peer_by_copy_engine, 6 * test::kBlock);
    EXPECT_EQ(row.traffic.copy_channels, 3);
    EXPECT_EQ(row.tracer, "scripted");
  });
}

TEST(EvidenceRound, OneRanksKernelIsEverybodysVerdict) {
  test::on_ranks_apart(3, [](Stage& stage) {
    const auto& kernels = stage.ranks.rank_of(0) == 2 ? kGemmAndGather : kGemm;
    EvidenceRound round(stage.ranks, stage.workload,
                        scripted({pushed(0, kGemm), pushed(2 * test::kBlock, kernels)}));
    round.learn_gemm(gemm_of(stage));
    const auto row = round.look_at(stage.strategy(), kBoth);
    EXPECT_EQ(row.carrier, Carrier::others);
    EXPECT_THAT(row.kernels, testing::ElementsAre("gather"));
  });
}

TEST(EvidenceRound, OneRankWithoutATracerIsEverybodysReason) {
  test::on_ranks_apart(3, [](Stage& stage) {
    const bool without = stage.ranks.rank_of(0) == 1;
    const OpenTracer none = []() -> std::unique_ptr<Tracer> { throw Unavailable("no library"); };
    EvidenceRound round(stage.ranks, stage.workload,
                        without ? none : scripted({pushed(0, kGemm), pushed(9, kGemm)}));
    round.learn_gemm(gemm_of(stage));
    const auto row = round.look_at(stage.strategy(), kBoth);
    EXPECT_EQ(row.carrier, Carrier::unknown);
    EXPECT_EQ(row.text, "no evidence: process of rank 1: no library");
  });
}

TEST(EvidenceRound, TheGemmsKernelsAreAllowedOnlyWhereThereIsAGemm) {
  test::on_ranks_here(2, [](Stage& stage) {
    const auto all = pushed(2 * test::kBlock, kGemm);
    EvidenceRound round(stage.ranks, stage.workload, scripted({all, all, all}));
    round.learn_gemm(gemm_of(stage));
    EXPECT_EQ(round.look_at(stage.strategy(), kBoth).carrier, Carrier::copy_engines);
    const auto alone = collective_alone(stage.workload.request(), {});
    EXPECT_EQ(round.look_at(alone, {Parts::Kind::comm}).carrier, Carrier::others);
  });
}

TEST(EvidenceRound, LooksAtWhatIsNoConfiguration) {
  test::on_ranks_here(2, [](Stage& stage) {
    EvidenceRound round(stage.ranks, stage.workload, scripted({pushed(2 * test::kBlock, {})}));
    int runs = 0;
    const auto row = round.look_at([&] { ++runs; }, stage.workload.request(), {Parts::Kind::comm});
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(row.carrier, Carrier::copy_engines) << row.text;
  });
}

TEST(EvidenceRound, WhatTheRunThrowsIsThrown) {
  test::on_ranks_here(2, [](Stage& stage) {
    EvidenceRound round(stage.ranks, stage.workload, scripted({pushed(1, {})}));
    EXPECT_THROW(static_cast<void>(round.look_at([] { throw RunError("deadline"); },
                                                 stage.workload.request(), kBoth)),
                 RunError);
  });
}

}  // namespace
}  // namespace conccl::bench
