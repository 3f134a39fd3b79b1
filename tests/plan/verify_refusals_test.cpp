// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// size: one refusal after another, each a plan and what its complaint must name

// Every kind of fault, with the rank, lane, step and bytes that the complaint must name.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "conccl/plan/verify.hpp"
#include "tests/plan/verify_plans.hpp"

namespace conccl::plan {
namespace {

using namespace conccl::plan::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Where a complaint must point.
struct Place {
  int rank = 0;
  int lane = 0;
  int step = 0;
};

struct Where {
  int rank = 0;
  BufferKind buffer = BufferKind::recv;
  Bytes begin = 0;
  Bytes end = 0;
};

/// The first complaint of `plan`, after checking its fault and place.
Complaint refusal(const Plan& plan, Fault fault, const Place& place) {
  const auto verdict = verify(plan);
  if (verdict.accepted()) {
    ADD_FAILURE() << "accepted; expected " << name_of(fault);
    return {};
  }
  const auto& first = verdict.complaints.front();
  EXPECT_EQ(name_of(first.fault), name_of(fault)) << first.text;
  EXPECT_EQ(first.rank, place.rank) << first.text;
  EXPECT_EQ(first.lane, place.lane) << first.text;
  EXPECT_EQ(first.step, place.step) << first.text;
  EXPECT_THAT(first.text, HasSubstr(std::string(name_of(fault))));
  EXPECT_EQ(first.text.find('\n'), std::string::npos);
  return first;
}

void expect_bytes(const Complaint& complaint, const Where& bytes) {
  EXPECT_EQ(complaint.buffer_rank, bytes.rank) << complaint.text;
  EXPECT_EQ(name_of(complaint.buffer), name_of(bytes.buffer)) << complaint.text;
  EXPECT_EQ(complaint.begin, bytes.begin) << complaint.text;
  EXPECT_EQ(complaint.end, bytes.end) << complaint.text;
}

constexpr Place kNoStep{0, -1, -1};

TEST(VerifyMalformed, RequestThatCannotBe) {
  Plan plan = pair_all_gather();
  plan.request.ranks = 0;
  EXPECT_THAT(refusal(plan, Fault::malformed, kNoStep).text, HasSubstr("ranks: 0"));
  plan = pair_all_gather();
  plan.request.block = std::numeric_limits<Bytes>::max();
  refusal(plan, Fault::malformed, kNoStep);
  plan = build({Collective::all_to_all, 2, kBlock, Placement::out_of_place}, {});
  plan.request.placement = Placement::in_place;
  EXPECT_THAT(refusal(plan, Fault::malformed, kNoStep).text, HasSubstr("in-place all_to_all"));
}

TEST(VerifyMalformed, NumberOfRanksFlagsAndScratch) {
  Plan plan = pair_all_gather();
  plan.ranks.pop_back();
  EXPECT_THAT(refusal(plan, Fault::malformed, kNoStep).text,
              AllOf(HasSubstr("1 ranks"), HasSubstr("expected 2")));
  plan = pair_all_gather();
  plan.flags = -1;
  refusal(plan, Fault::malformed, kNoStep);
  plan = pair_all_gather();
  plan.scratch_bytes = Bytes{1} << 63U;
  refusal(plan, Fault::malformed, kNoStep);
}

TEST(VerifyMalformed, ReferencesThatDoNotExist) {
  const std::vector<Step> wrong{
      Signal{2, 0},
      Signal{-1, 0},
      Signal{0, 4},
      Signal{0, -1},
      Wait{4},
      Wait{-1},
      Compute{0},
      Compute{-1},
      Copy{send(2), recv(1), kBlock},
      Copy{send(1), recv(-1), kBlock},
      Copy{send(1), {1, static_cast<BufferKind>(3), 0}, kBlock},
      Copy{send(0), recv(0), kBlock},
  };
  for (const auto& step : wrong) {
    Plan plan = pair_all_gather();
    steps_of(plan, 1)[2] = step;
    SCOPED_TRACE(to_string(plan, 1, step));
    refusal(plan, Fault::malformed, {1, 0, 2});
  }
}

TEST(VerifyOutOfBounds, NamesTheBytes) {
  Plan plan = pair_all_gather();
  std::get<Copy>(steps_of(plan, 1)[3]).dst.offset = kBlock + 1;
  expect_bytes(refusal(plan, Fault::out_of_bounds, {1, 0, 3}),
               {0, BufferKind::recv, kBlock + 1, 2 * kBlock + 1});
  plan = pair_all_gather();
  std::get<Copy>(steps_of(plan, 1)[3]).bytes = kBlock + 1;
  expect_bytes(refusal(plan, Fault::out_of_bounds, {1, 0, 3}),
               {1, BufferKind::send, 0, kBlock + 1});
}

TEST(VerifyOutOfBounds, SumsThatOverflow) {
  constexpr auto kMost = std::numeric_limits<Bytes>::max();
  Plan plan = pair_all_gather();
  std::get<Copy>(steps_of(plan, 0)[3]).bytes = kMost;
  refusal(plan, Fault::out_of_bounds, {0, 0, 3});
  plan = pair_all_gather();
  std::get<Copy>(steps_of(plan, 0)[3]).dst.offset = kMost;
  expect_bytes(refusal(plan, Fault::out_of_bounds, {0, 0, 3}), {1, BufferKind::recv, kMost, kMost});
}

TEST(VerifyOutOfBounds, BuffersThatThePlanDoesNotHave) {
  Plan plan = pair_all_gather();
  append(steps_of(plan, 0), {Copy{send(0), scratch(0), 1}});
  refusal(plan, Fault::out_of_bounds, {0, 0, 6});
  plan = build({Collective::all_gather, 2, kBlock, Placement::in_place}, {});
  const auto last = static_cast<int>(steps_of(plan, 0).size());
  append(steps_of(plan, 0), {Copy{send(0), recv(0), 1}});
  refusal(plan, Fault::out_of_bounds, {0, 0, last});
}

TEST(VerifyFlagReuse, NamesBothSteps) {
  Plan plan = pair_all_gather();
  append(steps_of(plan, 0), {Signal{1, 0}});
  EXPECT_THAT(refusal(plan, Fault::flag_reuse, {0, 0, 6}).text, HasSubstr("rank 0 lane 0 step 0"));
  plan = pair_all_gather();
  std::get<Signal>(steps_of(plan, 1)[0]).rank = 1;
  std::get<Signal>(steps_of(plan, 1)[4]).rank = 1;
  std::get<Signal>(steps_of(plan, 1)[4]).flag = 1;
  refusal(plan, Fault::flag_reuse, {1, 0, 4});
}

TEST(VerifyDeadlock, FlagThatNothingRaises) {
  Plan plan = pair_all_gather();
  erase_step(plan, 0, 4);
  EXPECT_THAT(refusal(plan, Fault::deadlock, {1, 0, 5}).text,
              AllOf(HasSubstr("flag 2"), HasSubstr("no step raises")));
}

TEST(VerifyDeadlock, FlagFarBeyondTheOnesRaised) {
  Plan plan = pair_all_gather();
  plan.flags = std::numeric_limits<int>::max();
  append(steps_of(plan, 0), {Wait{plan.flags - 1}});
  refusal(plan, Fault::deadlock, {0, 0, 6});
}

TEST(VerifyDeadlock, Cycle) {
  Plan plan = pair_all_gather();
  for (const int rank : {0, 1}) std::swap(steps_of(plan, rank)[0], steps_of(plan, rank)[1]);
  EXPECT_THAT(refusal(plan, Fault::deadlock, {0, 0, 0}).text,
              AllOf(HasSubstr("flag 1"), HasSubstr("rank 1 lane 0 step 1"),
                    HasSubstr("rank 1 lane 0 step 0")));
  EXPECT_EQ(verify(plan).complaints.size(), 2U);
}

TEST(VerifyDeadlock, SignalBehindItsOwnWait) {
  Plan plan = pair_all_gather();
  plan.flags = 5;
  append(steps_of(plan, 1), {Wait{4}, Signal{1, 4}});
  refusal(plan, Fault::deadlock, {1, 0, 6});
}

TEST(VerifyRace, BeforeTheStartOfAPeer) {
  Plan plan = pair_all_gather();
  erase_step(plan, 0, 1);  // the wait for the peer's readiness
  const auto complaint = refusal(plan, Fault::race, {0, 0, 2});
  EXPECT_THAT(complaint.text, HasSubstr("after the start of rank 1"));
  expect_bytes(complaint, {1, BufferKind::recv, 0, kBlock});
}

TEST(VerifyRace, AfterTheEndOfAPeer) {
  Plan plan = pair_all_gather();
  erase_step(plan, 1, 5);  // the wait for the peer's completion
  const auto complaint = refusal(plan, Fault::race, {0, 0, 3});
  EXPECT_THAT(complaint.text, HasSubstr("before the end of rank 1"));
  expect_bytes(complaint, {1, BufferKind::recv, 0, kBlock});
}

TEST(VerifyRace, SignalBeforeTheCopyItAnnounces) {
  Plan plan = pair_all_gather();
  std::swap(steps_of(plan, 1)[3], steps_of(plan, 1)[4]);
  expect_bytes(refusal(plan, Fault::race, {1, 0, 4}), {0, BufferKind::recv, kBlock, 2 * kBlock});
}

TEST(VerifyRace, PullFromAPeerThatMayHaveEnded) {
  Plan plan = build({Collective::all_gather, 2, kBlock, Placement::out_of_place},
                    {.direction = Direction::pull, .share = {}});
  erase_step(plan, 0, 5);
  expect_bytes(refusal(plan, Fault::race, {1, 0, 3}), {0, BufferKind::send, 0, kBlock});
}

TEST(VerifyRace, RankWithoutLanesNeverSaysThatItIsReady) {
  Plan plan = pair_all_gather();
  plan.ranks[1].lanes.clear();
  plan.ranks[0].lanes[0].steps = {Copy{send(0), recv(1), kBlock}};
  EXPECT_EQ(verify(plan).complaints.size(), 2U);
  refusal(plan, Fault::race, {0, 0, 0});
}

TEST(VerifyRace, RepeatedCopyInOneBatch) {
  Plan plan = pair_all_gather();
  steps_of(plan, 0).insert(steps_of(plan, 0).begin() + 4, steps_of(plan, 0)[3]);
  const auto complaint = refusal(plan, Fault::race, {0, 0, 4});
  EXPECT_THAT(complaint.text, HasSubstr("rank 0 lane 0 step 3"));
  expect_bytes(complaint, {1, BufferKind::recv, 0, kBlock});
}

TEST(VerifyRace, OnlyTheBytesThatOverlap) {
  Plan plan = pair_all_gather();
  plan.scratch_bytes = kBlock;
  append(steps_of(plan, 0), {Copy{send(0), scratch(0), 10}, Copy{send(0), scratch(0, 7), 20}});
  const auto complaint = refusal(plan, Fault::race, {0, 0, 7});
  expect_bytes(complaint, {0, BufferKind::scratch, 7, 10});
}

TEST(VerifyRace, LanesOfOneRankAreUnordered) {
  Plan plan = pair_all_gather();
  plan.ranks[0].lanes.push_back(lane({steps_of(plan, 0)[2]}));
  const auto verdict = verify(plan);
  ASSERT_EQ(verdict.complaints.size(), 1U);
  EXPECT_EQ(verdict.complaints[0].fault, Fault::race);
  EXPECT_EQ(verdict.complaints[0].rank, 0);
}

TEST(VerifyRace, ReadsAndWritesOfOneScratch) {
  Plan plan = bounce_all_to_all(2);
  erase_step(plan, 0, 8);  // the wait until the peer has emptied its scratch
  const auto complaint = refusal(plan, Fault::race, {1, 0, 6});
  expect_bytes(complaint, {1, BufferKind::scratch, 0, kBlock});
  EXPECT_THAT(complaint.text, HasSubstr("rank 0 lane 0 step 8"));
}

TEST(VerifyRace, RingThatDoesNotWaitForItsBlock) {
  Plan plan = ring_all_gather(4);
  erase_step(plan, 2, 4);  // the wait for block 1, which step 4 then hands on
  expect_bytes(refusal(plan, Fault::race, {2, 0, 4}), {2, BufferKind::recv, kBlock, 2 * kBlock});
}

TEST(VerifyRace, SignalThatNobodyWaitsForOrdersNothing) {
  Plan plan = coordinated_all_gather(3);
  auto& steps = steps_of(plan, 2);
  steps.pop_back();  // the wait for "stop"
  const auto verdict = verify(plan);
  ASSERT_FALSE(verdict.accepted());
  for (const auto& complaint : verdict.complaints) {
    EXPECT_EQ(complaint.fault, Fault::race) << complaint.text;
    EXPECT_EQ(complaint.buffer_rank, 2) << complaint.text;
  }
  EXPECT_EQ(verdict.complaints.size(), 2U);
}

TEST(VerifyRace, CopyOntoItself) {
  Plan plan = pair_all_gather();
  plan.scratch_bytes = 3 * kBlock;
  append(steps_of(plan, 0), {Copy{scratch(0), scratch(0, kBlock), kBlock},
                             Copy{scratch(0), scratch(0, kBlock - 1), kBlock}});
  const auto complaint = refusal(plan, Fault::race, {0, 0, 7});
  EXPECT_THAT(complaint.text, HasSubstr("source and destination overlap"));
  expect_bytes(complaint, {0, BufferKind::scratch, kBlock - 1, 2 * kBlock - 1});
}

TEST(VerifyWrongBytes, BytesThatNeverArrive) {
  Plan plan = pair_all_gather();
  erase_step(plan, 0, 3);
  const auto complaint = refusal(plan, Fault::wrong_bytes, {1, -1, -1});
  expect_bytes(complaint, {1, BufferKind::recv, 0, kBlock});
  EXPECT_THAT(complaint.text, HasSubstr("rank 0 send+0"));
}

TEST(VerifyWrongBytes, TheLastByteOfABlock) {
  Plan plan = pair_all_gather();
  std::get<Copy>(steps_of(plan, 0)[3]).bytes = kBlock - 1;
  expect_bytes(refusal(plan, Fault::wrong_bytes, {1, -1, -1}),
               {1, BufferKind::recv, kBlock - 1, kBlock});
}

TEST(VerifyWrongBytes, FromAWrongPlace) {
  Plan plan = build({Collective::all_to_all, 2, kBlock, Placement::out_of_place}, {});
  std::get<Copy>(steps_of(plan, 0)[3]).src.offset = kBlock - 1;
  const auto complaint = refusal(plan, Fault::wrong_bytes, {0, 0, 3});
  expect_bytes(complaint, {1, BufferKind::recv, 0, kBlock});
  EXPECT_THAT(complaint.text, AllOf(HasSubstr("rank 0 send+63"), HasSubstr("rank 0 send+64")));
}

TEST(VerifyWrongBytes, FromAWrongRank) {
  Plan plan = build({Collective::all_gather, 3, kBlock, Placement::out_of_place},
                    {.direction = Direction::pull, .share = {}});
  auto& steps = steps_of(plan, 0);
  ASSERT_TRUE(std::holds_alternative<Copy>(steps[6]));
  std::get<Copy>(steps[6]).src.rank = 1;
  const auto complaint = refusal(plan, Fault::wrong_bytes, {0, 0, 6});
  expect_bytes(complaint, {0, BufferKind::recv, 2 * kBlock, 3 * kBlock});
  EXPECT_THAT(complaint.text, AllOf(HasSubstr("rank 1 send+0"), HasSubstr("rank 2 send+0")));
}

TEST(VerifyWrongBytes, TooLateACopyOfOldContents) {
  Plan plan = bounce_all_to_all(1);
  // Rank 1 takes its scratch out before its peer's bytes arrive, in order but too early.
  auto& steps = steps_of(plan, 1);
  const Step take = steps[6];
  steps.erase(steps.begin() + 6);
  steps.insert(steps.begin(), take);
  const auto complaint = refusal(plan, Fault::wrong_bytes, {1, 0, 0});
  EXPECT_THAT(complaint.text, HasSubstr("rank 1 scratch+0"));
}

TEST(VerifyWrongBytes, ASendBufferThatChanges) {
  Plan plan = pair_all_gather();
  append(steps_of(plan, 1), {Copy{recv(1), send(1), 5}});
  const auto complaint = refusal(plan, Fault::wrong_bytes, {1, 0, 6});
  expect_bytes(complaint, {1, BufferKind::send, 0, 5});
  EXPECT_THAT(complaint.text, AllOf(HasSubstr("rank 0 send+0"), HasSubstr("rank 1 send+0")));
}

TEST(VerifyUndecided, WhenTheSearchMayNotGoOn) {
  const auto verdict = verify(coordinated_all_gather(8), {.search_limit = 10});
  ASSERT_FALSE(verdict.accepted());
  EXPECT_EQ(verdict.complaints.front().fault, Fault::undecided);
  EXPECT_GE(verdict.complaints.front().step, 0);
}

/// Doubles a pattern of two pieces until it has 2^40 of them.
TEST(VerifyUndecided, WhenPiecesMultiplyWithoutBound) {
  Plan plan = pair_all_gather();
  plan.scratch_bytes = Bytes{1} << 42U;
  plan.tasks = {"gemm"};
  auto& steps = steps_of(plan, 0);
  append(steps, {Copy{send(0, 5), scratch(0), 1}, Copy{send(0, 9), scratch(0, 1), 1}});
  for (Bytes bytes = 2; bytes < plan.scratch_bytes / 2; bytes *= 2) {
    append(steps, {Compute{0}, Copy{scratch(0), scratch(0, bytes), bytes}});
  }
  const auto verdict = verify(plan, {.search_limit = 10'000'000});
  ASSERT_FALSE(verdict.accepted());
  EXPECT_EQ(verdict.complaints.front().fault, Fault::undecided);
}

}  // namespace
}  // namespace conccl::plan
