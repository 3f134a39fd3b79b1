// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/plan/text.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "conccl/plan/build.hpp"
#include "tests/support/golden.hpp"

namespace conccl::plan {
namespace {

Plan small_all_gather() {
  Method method;
  method.engines = 2;
  return build({Collective::all_gather, 3, 64 * kKiB, Placement::out_of_place}, method);
}

/// A schedule that uses every kind of step and every property of a lane.
Plan overlap_schedule() {
  Method method;
  method.form = Form::compute;
  method.share = {Share::Kind::only, 4};
  method.priority = Priority::high;
  Plan plan = build({Collective::all_to_all, 2, 1000, Placement::out_of_place}, method);
  plan.tasks = {"gemm 64x64x64"};
  for (auto& rank : plan.ranks) {
    rank.lanes.push_back(
        {"gemm", Engine::compute, {Share::Kind::all_but, 4}, Priority::normal, 1, {Compute{0}}});
  }
  return plan;
}

TEST(PlanText, ListsEveryStep) {
  EXPECT_GOLDEN("plan/all_gather.txt", to_text(small_all_gather()));
}

TEST(PlanText, ListsLanesWithTheirShareAndPriority) {
  EXPECT_GOLDEN("plan/overlap.txt", to_text(overlap_schedule()));
}

TEST(PlanText, SummaryCountsStepsAndBytes) {
  EXPECT_GOLDEN("plan/all_gather_summary.txt", summary_text(small_all_gather()));
}

TEST(PlanText, SummaryShowsTheRangeWhereRanksDiffer) {
  Plan plan = overlap_schedule();
  plan.ranks[1].lanes.clear();
  EXPECT_GOLDEN("plan/uneven_summary.txt", summary_text(plan));
}

TEST(PlanText, SummaryOfAPlanThatNamesMissingRanksStillPrints) {
  Plan plan = small_all_gather();
  plan.ranks.resize(1);
  plan.ranks[0].lanes.resize(1);
  plan.ranks[0].lanes[0].steps = {Copy{{7, BufferKind::send, 0}, {-2, BufferKind::recv, 0}, 9}};
  EXPECT_NE(summary_text(plan).find("steps      1: 1 copy,"), std::string::npos);
}

TEST(PlanText, NamesThatHoldLinesStayOnOne) {
  Plan plan = small_all_gather();
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  const auto before = lines(to_text(plan));
  plan.algorithm = "a\nb";
  plan.tasks = {"ge\nmm"};
  Lane& lane = plan.ranks[0].lanes[0];
  lane.label = "comm\n0";
  lane.steps[0] = Compute{0};
  EXPECT_EQ(lines(to_text(plan)), before);
  EXPECT_NE(to_text(plan).find("compute ge\\nmm\n"), std::string::npos);
  EXPECT_EQ(lines(summary_text(plan)), 6);
}

TEST(PlanText, JsonIsCompactAndReadable) {
  EXPECT_GOLDEN("plan/overlap.json", to_json(overlap_schedule()));
}

}  // namespace
}  // namespace conccl::plan
