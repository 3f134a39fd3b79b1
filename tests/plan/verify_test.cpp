// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/plan/verify.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "tests/plan/verify_plans.hpp"

namespace conccl::plan {
namespace {

using namespace conccl::plan::testing;
using ::testing::Combine;
using ::testing::Values;

std::string texts(const Verdict& verdict) {
  std::string all;
  for (const auto& complaint : verdict.complaints) all += complaint.text + "\n";
  return all;
}

void expect_accepted(const Plan& plan, const VerifyOptions& options = {}) {
  const auto verdict = verify(plan, options);
  EXPECT_TRUE(verdict.accepted()) << texts(verdict);
  EXPECT_EQ(verdict.cost.steps, step_count(plan));
  EXPECT_EQ(verdict.cost.conflicting_pairs,
            verdict.cost.local_answers + verdict.cost.exact_searches);
}

using Operation = std::tuple<Collective, Placement>;
using Variant = std::tuple<Operation, Form, Direction, int, Bytes>;

class DirectPlans : public ::testing::TestWithParam<Variant> {};

TEST_P(DirectPlans, AreAcceptedAndNeedNoSearch) {
  const auto [operation, form, direction, engines, block] = GetParam();
  for (int ranks = 1; ranks <= 9; ++ranks) {
    SCOPED_TRACE(fmt::format("{} ranks", ranks));
    const Request request{std::get<0>(operation), ranks, block, std::get<1>(operation)};
    const auto plan = build(request, {form, direction, engines, {}, Priority::normal});
    expect_accepted(plan);
    EXPECT_EQ(verify(plan).cost.exact_searches, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(All, DirectPlans,
                         Combine(Values(Operation{Collective::all_gather, Placement::out_of_place},
                                        Operation{Collective::all_gather, Placement::in_place},
                                        Operation{Collective::all_to_all, Placement::out_of_place}),
                                 Values(Form::dma, Form::compute),
                                 Values(Direction::push, Direction::pull), Values(1, 3, 14),
                                 Values(Bytes{0}, Bytes{1}, Bytes{63}, kGiB)));

TEST(Verify, AcceptsNothingToDo) {
  for (const int ranks : {1, 2, 5}) {
    Plan plan;
    plan.request = {Collective::all_to_all, ranks, 0};
    plan.ranks.resize(static_cast<std::size_t>(ranks));
    expect_accepted(plan);
  }
}

TEST(Verify, AcceptsOneRankInPlaceWithoutLanes) {
  Plan plan;
  plan.request = {Collective::all_gather, 1, kBlock, Placement::in_place};
  plan.ranks.resize(1);
  expect_accepted(plan);
}

TEST(Verify, AcceptsTheLargestBuffers) {
  const Bytes block = ((Bytes{1} << 63U) - 1) / 3;
  expect_accepted(build({Collective::all_to_all, 3, block, Placement::out_of_place}, {}));
}

TEST(Verify, AcceptsARing) {
  for (const int ranks : {2, 3, 4, 7}) {
    SCOPED_TRACE(ranks);
    expect_accepted(ring_all_gather(ranks));
  }
}

TEST(Verify, AcceptsSwappedIndependentCopies) {
  Plan plan = build({Collective::all_to_all, 4, kBlock, Placement::out_of_place}, {});
  auto& steps = steps_of(plan, 2);
  std::vector<std::size_t> copies;
  for (std::size_t index = 0; index < steps.size(); ++index) {
    if (std::holds_alternative<Copy>(steps[index])) copies.push_back(index);
  }
  ASSERT_EQ(copies.size(), 4U);
  std::swap(steps[copies[0]], steps[copies[3]]);
  expect_accepted(plan);
}

TEST(Verify, AcceptsAScratchThatIsReusedInOrder) {
  for (const int chunks : {1, 2, 5}) {
    SCOPED_TRACE(chunks);
    expect_accepted(bounce_all_to_all(chunks));
  }
}

TEST(Verify, AcceptsARepeatedCopyBehindAFence) {
  Plan plan = pair_all_gather();
  auto& steps = steps_of(plan, 0);
  const Step copy = steps[3];
  plan.tasks = {"gemm"};
  steps.insert(steps.begin() + 4, {Compute{0}, copy});
  expect_accepted(plan);
}

TEST(Verify, AcceptsASendBufferThatIsPutBack) {
  Plan plan = pair_all_gather();
  plan.scratch_bytes = kBlock;
  plan.tasks = {"gemm"};
  auto& steps = steps_of(plan, 0);
  append(steps,
         {Copy{send(0), scratch(0), kBlock}, Compute{0}, Copy{recv(0, kBlock), send(0), kBlock},
          Compute{0}, Copy{scratch(0), send(0), kBlock}});
  expect_accepted(plan);
}

TEST(Verify, FollowsBytesThroughPartialOverwrites) {
  Plan plan = pair_all_gather();
  plan.scratch_bytes = kBlock;
  plan.tasks = {"gemm"};
  auto& steps = steps_of(plan, 0);
  append(steps, {Copy{recv(0, kBlock / 2), scratch(0), kBlock}, Compute{0},
                 Copy{send(0, 3), recv(0, kBlock / 2), 11}, Compute{0},
                 Copy{scratch(0), recv(0, kBlock / 2), kBlock}});
  expect_accepted(plan);
}

TEST(Verify, AcceptsCopiesOfNoBytesAnywhereInBounds) {
  Plan plan = pair_all_gather();
  steps_of(plan, 0).insert(steps_of(plan, 0).begin(), Copy{send(0, kBlock), recv(1), 0});
  expect_accepted(plan);
}

TEST(Verify, AcceptsASignalThatNobodyWaitsFor) {
  Plan plan = pair_all_gather();
  plan.flags += 1;
  steps_of(plan, 0).emplace_back(Signal{1, plan.flags - 1});
  expect_accepted(plan);
}

TEST(Verify, AcceptsManyMoreFlagsThanItCouldTable) {
  Plan plan = pair_all_gather();
  const int last = 2'147'483'646;
  plan.flags = last + 1;
  std::get<Signal>(steps_of(plan, 0)[0]).flag = last;
  std::get<Wait>(steps_of(plan, 1)[1]).flag = last;
  expect_accepted(plan);
}

TEST(Verify, OrdersLanesOfOneRankByFlags) {
  Plan plan = pair_all_gather();
  plan.flags += 1;
  // The own copy moves to a lane of its own, twice, and the second waits for the first.
  auto& steps = steps_of(plan, 0);
  const Step own = steps[2];
  steps[2] = Signal{0, plan.flags - 1};
  steps.insert(steps.begin() + 2, own);
  plan.ranks[0].lanes.push_back(lane({Wait{plan.flags - 1}, own}));
  expect_accepted(plan);
}

TEST(Verify, OrderOverSeveralFlagsNeedsTheSearch) {
  for (const int ranks : {3, 8}) {
    SCOPED_TRACE(ranks);
    const Plan plan = coordinated_all_gather(ranks);
    expect_accepted(plan);
    // Every copy between two ranks other than 0 asks for its peer's start and its end.
    const auto peers = static_cast<std::size_t>(ranks - 1);
    EXPECT_EQ(verify(plan).cost.exact_searches, 2 * peers * (peers - 1));
  }
}

/// Rank 0 hands its block to rank 1's scratch, rank 1 tells rank 2, rank 2 tells rank 3, and rank 3
/// overwrites the scratch: write -> write over two ranks that touch nothing.
TEST(Verify, OrdersConflictsThroughRanksThatOnlyPassFlagsOn) {
  Plan plan = build({Collective::all_gather, 4, kBlock, Placement::out_of_place}, {});
  plan.scratch_bytes = kBlock;
  const int pass = plan.flags;
  plan.flags += 4;
  // Steps 0-2 are the ready signals, 3-5 the ready waits; done signals come after the copies.
  const auto before_done = [&](int rank) { return steps_of(plan, rank).begin() + 10; };
  ASSERT_TRUE(std::holds_alternative<Signal>(*before_done(0)));
  ASSERT_TRUE(std::holds_alternative<Copy>(*(before_done(0) - 1)));
  steps_of(plan, 0).insert(before_done(0), {Copy{send(0), scratch(1), kBlock}, Signal{2, pass}});
  steps_of(plan, 2).insert(before_done(2), {Wait{pass}, Signal{3, pass + 1}});
  steps_of(plan, 3).insert(before_done(3), {Wait{pass + 1}, Copy{send(3), scratch(1), kBlock}});
  expect_accepted(plan);
  EXPECT_EQ(verify(plan).cost.exact_searches, 1U);
}

TEST(Verify, ALongChainOfCopiesToOnePlaceCostsNoMoreThanItsLinks) {
  constexpr int kCopies = 20'000;
  Plan plan = pair_all_gather();
  plan.tasks = {"gemm"};
  auto& steps = steps_of(plan, 0);
  const Step copy = steps[3];
  std::vector<Step> chain;
  for (int index = 1; index < kCopies; ++index) append(chain, {Compute{0}, copy});
  steps.insert(steps.begin() + 4, chain.begin(), chain.end());
  expect_accepted(plan);
  EXPECT_LT(verify(plan).cost.conflicting_pairs, 6U * kCopies);
}

TEST(Verify, ALongRingNeedsNoSearch) {
  const Plan plan = ring_all_gather(64);
  expect_accepted(plan);
  EXPECT_EQ(verify(plan).cost.exact_searches, 0U);
}

TEST(Verify, KeepsAComplaintEvenIfAskedForNone) {
  Plan plan = pair_all_gather();
  erase_step(plan, 0, 3);
  const auto verdict = verify(plan, {.max_complaints = 0});
  EXPECT_FALSE(verdict.accepted());
  EXPECT_EQ(verdict.complaints.size(), 1U);
}

TEST(Verify, StopsAtTheLimitOfComplaints) {
  Plan plan = build({Collective::all_gather, 8, kBlock, Placement::out_of_place}, {});
  for (auto& rank : plan.ranks) rank.lanes.clear();
  EXPECT_EQ(verify(plan, {.max_complaints = 5}).complaints.size(), 5U);
  EXPECT_EQ(verify(plan, {.max_complaints = 1000}).complaints.size(), 64U);
}

}  // namespace
}  // namespace conccl::plan
