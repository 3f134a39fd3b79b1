// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Kernels that take units in whole pieces, and what GEMMs gain or lose beside a partition.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "c3/model/grants.hpp"
#include "tests/c3/model/support.hpp"

namespace conccl::c3 {
namespace {

using plan::Share;
using testing::ElementsAre;

/// Of a device of 132 units.
UnitClaim piece_claim(double units, int step, const Share& share = {}) {
  UnitClaim claim = claim_of(share, 132);
  claim.wanted = units;
  claim.step = step;
  claim.device_units = 132;
  return claim;
}

TEST(GrantInPieces, FreeUnitsOfLessThanAPieceAreOfNoUse) {
  const auto beside = [](double held) {
    return grant(std::vector{piece_claim(held, 0), piece_claim(32, 8)}, 0);
  };
  EXPECT_THAT(beside(132), ElementsAre(132, 0));
  EXPECT_THAT(beside(128), ElementsAre(128, 0));
  EXPECT_THAT(beside(124), ElementsAre(124, 8));
  EXPECT_THAT(beside(113), ElementsAre(113, 16));
  EXPECT_THAT(beside(90), ElementsAre(90, 32));
}

TEST(GrantInPieces, AClaimMayWantLessThanAPieceButNeedsOneFree) {
  EXPECT_THAT(grant(std::vector{piece_claim(124, 0), piece_claim(4, 8)}, 0), ElementsAre(124, 4));
  EXPECT_THAT(grant(std::vector{piece_claim(125, 0), piece_claim(4, 8)}, 0), ElementsAre(125, 0));
}

TEST(GrantInPieces, ThePieceMayBeFreeOutsideOfItsPartition) {
  const Share mine{Share::Kind::only, 4};
  EXPECT_THAT(grant(std::vector{piece_claim(32, 8, mine)}, 0), ElementsAre(4));
  const Share rest{Share::Kind::all_but, 4};
  EXPECT_THAT(grant(std::vector{piece_claim(132, 0, rest), piece_claim(32, 8, mine)}, 0),
              ElementsAre(128, 0));
}

/// 132 units, of which a late kernel is left `late`; collectives fill the links with 32.
Machine machine_in_pieces(int late, int step) {
  Machine machine = plain_machine();
  machine.device.compute_units = 132;
  machine.baseline["all_gather"].compute_units = 32;
  machine.model.slowdown["all_gather"] = {{32, 1}};
  machine.model.late_share = late / 132.0;
  machine.model.kernel_step = step;
  return machine;
}

TEST(KernelStep, AKernelWaitsUntilAPieceIsFree) {
  const auto late = [](int units, int step) {
    const auto whole = plain_plan("c3_base", 0, 132);
    return modelled_ns(machine_in_pieces(units, step), whole, {plain_task(8)});
  };
  EXPECT_EQ(late(4, 0), 8'000 + 9'000) << "an eighth of its speed beside the GEMM";
  EXPECT_EQ(late(4, 8), 8'000 + 10'000) << "it waits";
  EXPECT_EQ(late(8, 8), 8'000 + 8'000) << "a piece: a quarter of its speed";
  EXPECT_EQ(late(12, 8), 8'000 + 8'000) << "no more than one";
}

TEST(KernelStep, ABudgetBelowAPieceRunsOnceTheDeviceIsFree) {
  const auto split = [](int budget, int step) {
    const auto whole = plain_plan("c3_rp", budget, 132);
    return modelled_ns(machine_in_pieces(0, step), whole, {plain_task(8)});
  };
  EXPECT_EQ(split(4, 0), 80'000);
  EXPECT_EQ(split(4, 8), 88'000);
  EXPECT_EQ(split(8, 8), 40'000);
}

TEST(KernelStep, SaysNothingOfGemms) {
  const auto whole =
      plan_of({task_lane(0, {Share::Kind::all_but, 4}), task_lane(1, {Share::Kind::only, 4})});
  EXPECT_EQ(modelled_ns(machine_in_pieces(0, 8), whole, {plain_task(8), plain_task(8)}), 8'000);
}

/// When the GEMM ends beside another task on half the device.
Nanoseconds end_beside(int step, const Share& share, const TaskCost& gemm,
                       const TaskCost& other = plain_task(2)) {
  Machine machine = plain_machine();
  machine.model.kernel_step = step;
  machine.model.late_share = 0;
  const auto whole = plan_of({task_lane(1, {Share::Kind::only, 50}), task_lane(0, share)});
  const std::vector tasks{gemm, other};
  return spans_of(simulate(machine, whole, tasks), "task0").at(0).end;
}

TEST(KernelStep, AGemmThatSharesUnitsIsNoFasterOnFewer) {
  TaskCost gemm = plain_task(10);
  gemm.slowdown = {{50, 0.5}, {100, 1}};
  const Share rest{Share::Kind::all_but, 50};
  EXPECT_EQ(end_beside(8, {}, gemm), Nanoseconds(10'000));
  EXPECT_EQ(end_beside(0, {}, gemm), Nanoseconds(8'000)) << "for 2 us twice as fast";
  EXPECT_EQ(end_beside(8, rest, gemm), Nanoseconds(5'000)) << "in a partition";
  gemm.slowdown = {{50, 2}, {100, 1}};
  EXPECT_EQ(end_beside(8, {}, gemm), Nanoseconds(11'000)) << "slower it may be";
}

/// In a partition half its bytes let it be twice as fast; where it shares units it moves them all.
TEST(KernelStep, AGemmThatSharesUnitsMovesAllItsBytes) {
  TaskCost gemm = plain_task(10);
  gemm.slowdown = {{50, 0.5}, {100, 1}};
  gemm.memory_bytes = 0.75 * 1000 * 10'000;
  TaskCost other = plain_task(10);
  other.memory_bytes = 0.5 * 1000 * 10'000;
  EXPECT_EQ(end_beside(8, {}, gemm, other), Nanoseconds(12'500));
  gemm.memory_bytes = 0.5 * 1000 * 10'000;
  EXPECT_EQ(end_beside(8, {Share::Kind::all_but, 50}, gemm, other), Nanoseconds(5'000));
}

TEST(SlowdownBeside, IsOfGemmsBesideAPartition) {
  TaskCost gemm = plain_task(10);
  gemm.slowdown = {{50, 2}, {100, 1}};
  gemm.slowdown_beside = {{50, 3}, {100, 1}};
  const auto alone = [&](const Share& share) {
    return modelled_ns(plain_machine(), plan_of({task_lane(0, share)}), {gemm});
  };
  EXPECT_EQ(alone({Share::Kind::all_but, 50}), 30'000);
  EXPECT_EQ(alone({Share::Kind::only, 50}), 20'000);
  EXPECT_EQ(end_beside(0, {}, gemm), Nanoseconds(11'000)) << "half as fast for 2 us";
  EXPECT_EQ(modelled_ns(plain_machine(), plain_plan("c3_rp", 50), {gemm}), 30'000);
  gemm.slowdown_beside.clear();
  EXPECT_EQ(alone({Share::Kind::all_but, 50}), 20'000) << "as on so many units";
}

const GemmSpec kSquare{{1000, 1000, 1000}};  // compute bound on the plain machine
const GemmSpec kFlat{{10, 1000, 1000}};      // memory bound
const SlowdownTable kOfKind{{50, 3}, {100, 1}};
const SlowdownTable kOwn{{50, 4}, {100, 1}};
const SlowdownTable kOwnBeside{{50, 5}, {100, 1}};

TEST(SlowdownBeside, IsThatOfTheGemmsKind) {
  Machine machine = plain_machine();
  EXPECT_TRUE(gemm_cost(machine, kSquare).slowdown_beside.empty());
  machine.model.slowdown["compute_bound_beside"] = kOfKind;
  EXPECT_EQ(gemm_cost(machine, kSquare).slowdown_beside, kOfKind);
  EXPECT_TRUE(gemm_cost(machine, kFlat).slowdown_beside.empty());
  machine.model.slowdown["memory_bound_beside"] = kOwn;
  EXPECT_EQ(gemm_cost(machine, kFlat).slowdown_beside, kOwn);
}

TEST(SlowdownBeside, OfAKnownGemmIsItsOwn) {
  Machine machine = plain_machine();
  machine.model.slowdown["compute_bound_beside"] = kOfKind;
  const auto cost = [&](const SlowdownTable& own, const SlowdownTable& beside) {
    machine.model.gemms = {{kSquare, 30'000, own, beside}};
    return gemm_cost(machine, kSquare);
  };
  EXPECT_EQ(cost(kOwn, kOwnBeside).slowdown_beside, kOwnBeside);
  EXPECT_EQ(cost(kOwn, kOwnBeside).slowdown, kOwn);
  EXPECT_EQ(cost({}, {}).slowdown_beside, kOfKind);
  EXPECT_TRUE(cost(kOwn, {}).slowdown_beside.empty()) << "then it is as on so many units";
  EXPECT_EQ(cost({}, kOwnBeside).slowdown_beside, kOwnBeside);
  EXPECT_EQ(cost({}, kOwnBeside).slowdown, machine.model.slowdown.at("compute_bound"));
}

}  // namespace
}  // namespace conccl::c3
