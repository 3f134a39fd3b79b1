// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The oracle itself: that it accepts what is right, sees each kind of wrong, and misses nothing by
/// not trying every order.

#include <gmock/gmock.h>

#include <utility>

#include "tests/plan/oracle/interpreter.hpp"
#include "tests/plan/oracle/mutations.hpp"
#include "tests/plan/oracle/plans.hpp"

namespace conccl::plan::oracle {
namespace {

using testing::HasSubstr;

constexpr ExploreOptions kEveryOrder{Reduction::none, 2, 1'000'000};
constexpr ExploreOptions kOneRun{Reduction::stubborn, 1, 1'000'000};

#ifdef CONCCL_SANITIZED
constexpr std::size_t kStride = 6;
#else
constexpr std::size_t kStride = 1;
#endif

/// Every `kStride`th mutant.
std::vector<std::pair<std::string, Plan>> mutants_of(const NamedPlan& named) {
  const auto mutations = mutations_of(named.plan);
  std::vector<std::pair<std::string, Plan>> mutants;
  for (std::size_t i = 0; i < mutations.size(); i += kStride) {
    mutants.emplace_back(named.name + ", " + mutations[i].what, mutated(named.plan, mutations[i]));
  }
  return mutants;
}

/// Steps of the compute-form push all-gather of two ranks, two bytes each: signal ready, wait
/// ready, own copy, copy to the peer, signal done, wait done.
enum PairStep : std::size_t { ready, await_ready, own, push, done, await_done };

Plan pair_plan() {
  Method method;
  method.form = Form::compute;
  return build({Collective::all_gather, 2, 2, Placement::out_of_place}, method);
}

std::vector<Step>& steps_of(Plan& plan, std::size_t rank) {
  return plan.ranks[rank].lanes.front().steps;
}

Copy& copy_at(Plan& plan, std::size_t step) { return std::get<Copy>(steps_of(plan, 0)[step]); }

void drop(Plan& plan, std::size_t step) {
  auto& steps = steps_of(plan, 0);
  steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(step));
}

void expect_wrong(const Plan& plan, const std::string& why) {
  const Outcome outcome = explore(plan);
  EXPECT_EQ(outcome.meaning, Meaning::wrong);
  EXPECT_THAT(outcome.why, HasSubstr(why));
}

std::vector<NamedPlan> all_plans(int ranks, Bytes block) {
  auto plans = built_plans(ranks, block);
  for (auto& plan : hand_written_plans(ranks, block)) plans.push_back(std::move(plan));
  return plans;
}

TEST(Oracle, AcceptsRightPlans) {
  for (const auto& [ranks, block] : {std::pair{1, 3}, {2, 1}, {2, 3}, {3, 1}, {3, 2}}) {
    for (const auto& [name, plan] : all_plans(ranks, static_cast<Bytes>(block))) {
      const Outcome outcome = explore(plan);
      EXPECT_EQ(outcome.meaning, Meaning::right) << name << ": " << outcome.why;
    }
  }
}

TEST(Oracle, AcceptsSwappedIndependentCopies) {
  Plan plan = pair_plan();
  std::swap(steps_of(plan, 0)[own], steps_of(plan, 0)[push]);
  EXPECT_EQ(explore(plan).meaning, Meaning::right);
}

TEST(Oracle, AcceptsNothingToDo) {
  EXPECT_EQ(explore(build({Collective::all_to_all, 3, 0, {}}, {})).meaning, Meaning::right);
}

TEST(Oracle, SeesAWaitThatNeverEnds) {
  Plan plan = pair_plan();
  drop(plan, ready);
  expect_wrong(plan, "deadlock");
}

TEST(Oracle, SeesACopyBeforeThePeerStarts) {
  Plan plan = pair_plan();
  drop(plan, await_ready);
  expect_wrong(plan, "outside the run of rank 1");
}

TEST(Oracle, SeesAnEndBeforeTheBytesArrive) {
  Plan plan = pair_plan();
  drop(plan, await_done);
  EXPECT_EQ(explore(plan).meaning, Meaning::wrong);
}

TEST(Oracle, SeesTornBytes) {
  Plan plan = pair_plan();
  plan.scratch_bytes = 2;
  auto& steps = steps_of(plan, 0);
  const Copy spare{{0, BufferKind::send, 0}, {0, BufferKind::scratch, 0}, 2};
  steps.insert(steps.begin(), {spare, spare});
  expect_wrong(plan, "torn by");
}

TEST(Oracle, SeesBytesThatNeverArrive) {
  Plan plan = pair_plan();
  drop(plan, own);
  expect_wrong(plan, "rank 0 ends with a wrong byte");
}

TEST(Oracle, SeesAFlagRaisedTwice) {
  Plan plan = pair_plan();
  steps_of(plan, 0).push_back(steps_of(plan, 0)[done]);
  expect_wrong(plan, "was raised before");
}

TEST(Oracle, SeesACopyOntoItself) {
  Plan plan = pair_plan();
  plan.scratch_bytes = 3;
  const Copy crawl{{0, BufferKind::scratch, 0}, {0, BufferKind::scratch, 1}, 2};
  steps_of(plan, 0).push_back(crawl);
  expect_wrong(plan, "reads what it writes");
}

TEST(Oracle, SeesWhatNoMachineCouldRun) {
  Plan beyond = pair_plan();
  copy_at(beyond, own).dst.offset = ~Bytes{0};
  expect_wrong(beyond, "beyond its buffer");

  Plan remote = pair_plan();
  copy_at(remote, push).src.rank = 1;
  expect_wrong(remote, "neither end is local");

  Plan flagless = pair_plan();
  steps_of(flagless, 0)[await_done] = Wait{flagless.flags};
  expect_wrong(flagless, "no such flag");
}

TEST(Oracle, SaysWhenItGaveUp) {
  EXPECT_EQ(explore(pair_plan(), {Reduction::none, 2, 10}).meaning, Meaning::undecided);
}

TEST(Oracle, ReductionMissesNothing) {
  auto plans = all_plans(2, 2);
  plans.push_back({"ring, 3 ranks", ring_all_gather(3, 1, Placement::out_of_place)});
  for (const NamedPlan& named : plans) {
    for (const auto& [what, mutant] : mutants_of(named)) {
      EXPECT_EQ(explore(mutant).meaning, explore(mutant, kEveryOrder).meaning) << what;
    }
  }
}

/// Why the verifier may look at one run: each rank's accesses lie between its start and its end.
TEST(Oracle, OneRunDecidesForTwo) {
  for (const auto& plans : {all_plans(2, 2), hand_written_plans(3, 1)}) {
    for (const NamedPlan& named : plans) {
      for (const auto& [what, mutant] : mutants_of(named)) {
        EXPECT_EQ(explore(mutant).meaning, explore(mutant, kOneRun).meaning) << what;
      }
    }
  }
}

TEST(Oracle, RandomOrdersFindWhatIsWrong) {
  int wrong = 0;
  int found = 0;
  for (const NamedPlan& named : hand_written_plans(3, 1)) {
    for (const auto& [what, mutant] : mutants_of(named)) {
      const bool is_wrong = explore(mutant).meaning == Meaning::wrong;
      const bool is_found = sample(mutant, 20, 1).meaning == Meaning::wrong;
      EXPECT_TRUE(is_wrong || !is_found) << what;
      wrong += is_wrong;
      found += is_found;
    }
  }
  EXPECT_GT(found, wrong * 9 / 10) << "of " << wrong;
}

}  // namespace
}  // namespace conccl::plan::oracle
