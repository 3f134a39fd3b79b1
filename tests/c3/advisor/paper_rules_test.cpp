// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// The paper's rules on a machine whose figures one can compute by hand: 1000 x 1000 x 1000 are 20
// us at the peak, 210,000 bytes to each of three peers 21 us by the links; both are 0.7 as fast
// here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "conccl/c3/advisor/advise.hpp"
#include "tests/c3/model/support.hpp"

namespace conccl::c3 {
namespace {

using testing::HasSubstr;

constexpr double kGemmNs = 20'000 / 0.7;
constexpr double kCommNs = 21'000 / 0.7;
constexpr Question kSquare{{{1000, 1000, 1000}}, plan::Collective::all_gather, 840'000};
/// 2.04 MB through memory are 2.04 us, and 20 MFLOP 0.2.
constexpr Question kThin{{{10, 1000, 1000}}, plan::Collective::all_gather, 4'000};

/// DMA is far from on par.
Machine slow_engines() {
  Machine machine = plain_machine();
  machine.model.dma_launch_ns = 1e6;
  return machine;
}

Probe probe_of(const Machine& machine, const Question& question, std::string_view strategy) {
  for (const Candidate& candidate : candidates(machine, question, RuleSet::paper)) {
    if (candidate.name == strategy) return candidate.probe();
  }
  throw InputError("no such candidate");
}

double ns(const Probe& probe) { return static_cast<double>(probe.time.value().count()); }

TEST(PaperRules, OneAfterTheOtherIsTheSumAtSeventyPercent) {
  EXPECT_NEAR(ns(probe_of(slow_engines(), kSquare, "serial")), kGemmNs + kCommNs, 1);
}

TEST(PaperRules, TimesDoNotDependOnTheMachinesOwnEfficiency) {
  Machine machine = slow_engines();
  machine.device.gemm_efficiency = 0.1;
  EXPECT_NEAR(ns(probe_of(machine, kSquare, "serial")), kGemmNs + kCommNs, 1);
}

/// Of 10, 20, 40 and 80 units: the collective is half as fast on 10, the GEMM 1.4 times as slow
/// without 20 and 1.8 times without 40.
TEST(PaperRules, SplitMinimisesTheLarger) {
  const Probe probe = probe_of(slow_engines(), kSquare, "c3_rp");
  EXPECT_EQ(probe.budget, 20);
  EXPECT_NEAR(ns(probe), 1.4 * kGemmNs, 1);
  EXPECT_TRUE(probe.extrapolated.empty());
}

TEST(PaperRules, SplitFollowsTheTables) {
  Machine machine = slow_engines();
  machine.model.slowdown["all_gather"] = {{40, 1}};
  EXPECT_EQ(probe_of(machine, kSquare, "c3_rp").budget, 40);
  machine.model.slowdown["all_gather"] = {{10, 1}};
  EXPECT_EQ(probe_of(machine, kSquare, "c3_rp").budget, 10);
}

TEST(PaperRules, NothingIsGainedByBoth) {
  const Machine machine = slow_engines();
  EXPECT_EQ(probe_of(machine, kSquare, "c3_sp_rp").time, probe_of(machine, kSquare, "c3_rp").time);
  EXPECT_EQ(advise(machine, kSquare, RuleSet::paper).chosen, "c3_rp") << "the first of equal ones";
}

TEST(PaperRules, TheKernelWithFewerWorkgroupsIsFirst) {
  Machine machine = slow_engines();
  machine.model.tile_m = 100;
  machine.model.tile_n = 100;  // 100 workgroups; the collective has 20
  const Probe first = probe_of(machine, kSquare, "c3_sp");
  EXPECT_NEAR(ns(first), 1.4 * kGemmNs, 1) << "80 units are left";
  EXPECT_THAT(probe_of(machine, kSquare, "c3_base").reason,
              HasSubstr("launched first: the GEMM has 100, the collective 20"));
  machine.model.tile_n = 1000;  // 10
  const Probe gemm_first = probe_of(machine, kSquare, "c3_base");
  EXPECT_NEAR(ns(gemm_first), kCommNs, 1);
  EXPECT_TRUE(gemm_first.extrapolated.empty()) << "on as many units as alone";
  EXPECT_FALSE(probe_of(machine, kSquare, "c3_sp").time.has_value());
}

TEST(PaperRules, OfAsManyWorkgroupsTheGemmIsFirst) {
  Machine machine = slow_engines();
  machine.model.tile_m = 100;
  machine.model.tile_n = 500;  // 20, as the collective
  EXPECT_TRUE(probe_of(machine, kSquare, "c3_base").time.has_value());
  EXPECT_FALSE(probe_of(machine, kSquare, "c3_sp").time.has_value());
}

TEST(PaperRules, WithoutWorkgroupsThereIsNoOrder) {
  Machine machine = slow_engines();
  EXPECT_EQ(probe_of(machine, kSquare, "c3_sp").reason, "the GEMM's workgroups are not known");
  machine.model.tile_m = machine.model.tile_n = 100;
  machine.baseline["all_gather"].compute_units = 0;
  EXPECT_EQ(probe_of(machine, kSquare, "c3_base").reason,
            "the collective's workgroups are not known");
  machine.baseline["all_gather"].compute_units = 100;
  machine.model.tile_m = 10;
  EXPECT_EQ(probe_of(machine, kSquare, "c3_sp").reason,
            "the first kernel leaves the other one no units");
}

/// Kernels take 21 us, copies 21 us and their launch.
TEST(PaperRules, DmaIsUsedWhereItsCollectiveIsOnPar) {
  Machine machine = plain_machine();
  machine.model.dma_launch_ns = 21'000 * (kOnPar - 1);
  EXPECT_EQ(advise(machine, kSquare, RuleSet::paper).chosen, "conccl");
  const Probe dma = probe_of(machine, kSquare, "conccl");
  EXPECT_NEAR(ns(dma), kOnPar * kCommNs, 1);
  EXPECT_TRUE(dma.passed_over.empty());
  EXPECT_THAT(probe_of(machine, kSquare, "c3_rp").passed_over, HasSubstr("not over 1.2"));
  machine.model.dma_launch_ns += 2;
  EXPECT_EQ(advise(machine, kSquare, RuleSet::paper).chosen, "c3_rp");
  EXPECT_THAT(probe_of(machine, kSquare, "conccl").passed_over, HasSubstr("over 1.2"));
  EXPECT_TRUE(probe_of(machine, kSquare, "c3_rp").passed_over.empty());
}

TEST(PaperRules, FewEnginesCopyInTurns) {
  Machine machine = plain_machine();
  machine.link.device_gbps = 300;
  machine.device.dma_engines = 2;  // two copies to three peers, one behind the other
  EXPECT_THAT(probe_of(machine, kSquare, "conccl").passed_over,
              HasSubstr("DMA alone takes 2.00 times"));
  machine.device.dma_engines = 0;
  EXPECT_EQ(probe_of(machine, kSquare, "conccl").reason, "the device has no DMA engines");
  EXPECT_TRUE(probe_of(machine, kSquare, "c3_rp").passed_over.empty());
}

TEST(PaperRules, EnginesMayBeSlowerThanLinks) {
  Machine machine = plain_machine();
  machine.model.dma_gbps = 5;
  EXPECT_THAT(probe_of(machine, kSquare, "conccl").passed_over,
              HasSubstr("DMA alone takes 2.00 times"));
}

TEST(PaperRules, MemoryBoundGemmsGiveUpEightUnits) {
  Machine machine = plain_machine();
  machine.model.unit_step = 4;
  machine.model.slowdown["memory_bound"] = {{50, 1}, {92, 0.9}, {100, 1}};
  const Probe probe = probe_of(machine, kThin, "conccl_rp");
  EXPECT_EQ(probe.budget, kPaperGivenUp);
  EXPECT_NEAR(ns(probe), 0.9 * 2040 / 0.7, 1);
  EXPECT_EQ(probe_of(machine, kThin, "conccl").passed_over, "a memory-bound GEMM gives up units");
  EXPECT_EQ(advise(machine, kThin, RuleSet::paper).chosen, "conccl_rp");
  EXPECT_THAT(probe_of(machine, kSquare, "conccl_rp").reason, HasSubstr("only a memory-bound"));
}

TEST(PaperRules, UnitsThatCannotBeGivenUpAreKept) {
  const Machine machine = plain_machine();  // partitions of 10
  EXPECT_THAT(probe_of(machine, kThin, "conccl_rp").reason, HasSubstr("budget 8 leaves 92"));
  EXPECT_EQ(advise(machine, kThin, RuleSet::paper).chosen, "conccl");
}

TEST(PaperRules, MarkGemmsBelowTheirTable) {
  Machine machine = slow_engines();
  machine.model.slowdown["all_gather"] = {{80, 1}};
  machine.model.slowdown["compute_bound"] = {{95, 1}, {100, 1}};
  const Probe probe = probe_of(machine, kSquare, "c3_rp");
  ASSERT_EQ(probe.extrapolated.size(), 1U);
  EXPECT_THAT(probe.extrapolated[0], HasSubstr("known from 95 on"));
}

TEST(PaperRules, NeedTablesAndLinks) {
  Machine machine = plain_machine();
  machine.model.slowdown.erase("all_gather");
  EXPECT_THAT(input_error([&] { (void)advise(machine, kSquare, RuleSet::paper); }),
              HasSubstr("model.slowdown.all_gather is not known"));
  machine = plain_machine();
  machine.link.device_gbps = 0;
  EXPECT_THAT(input_error([&] { (void)advise(machine, kSquare, RuleSet::paper); }),
              HasSubstr("link.device_bandwidth is not known"));
}

}  // namespace
}  // namespace conccl::c3
