// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The verifier against the oracle, over plans with one mistake.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <random>

#include "conccl/plan/verify.hpp"
#include "tests/plan/oracle/interpreter.hpp"
#include "tests/plan/oracle/mutations.hpp"
#include "tests/plan/oracle/plans.hpp"
#include "tests/plan/oracle/tally.hpp"

namespace conccl::plan::oracle {
namespace {

#ifdef CONCCL_SANITIZED
constexpr std::size_t kExhaustiveSample = 150;
constexpr std::size_t kFourRankSample = 4;
constexpr std::size_t kRandomSample = 15;
#else
constexpr std::size_t kExhaustiveSample = 100'000;
constexpr std::size_t kFourRankSample = 40;
constexpr std::size_t kRandomSample = 80;
#endif
constexpr int kWalks = 4;
constexpr std::uint64_t kSeed = 20'260'101;

std::vector<NamedPlan> all_plans(int ranks, Bytes block) {
  auto plans = built_plans(ranks, block);
  for (auto& plan : hand_written_plans(ranks, block)) plans.push_back(std::move(plan));
  return plans;
}

/// `count` of the mutations, or all if there are no more.
std::vector<Mutation> pick(std::vector<Mutation> mutations, std::size_t count) {
  std::mt19937_64 random(kSeed);
  if (count < mutations.size()) {
    std::shuffle(mutations.begin(), mutations.end(), random);
    mutations.resize(count);
  }
  return mutations;
}

class Mutants : public testing::Test {
 protected:
  using Oracle = std::function<Outcome(const Plan&)>;

  void judge(const NamedPlan& named, std::size_t count, const Oracle& oracle) {
    ASSERT_TRUE(verify(named.plan).accepted()) << named.name;
    for (const Mutation& mutation : pick(mutations_of(named.plan), count)) {
      const Plan mutant = mutated(named.plan, mutation);
      const Outcome outcome = oracle(mutant);
      const Verdict verdict = verify(mutant);
      tally_.add(mutation.kind, outcome.meaning, verdict);
      const std::string what = named.name + ", " + mutation.what;
      if (outcome.meaning == Meaning::wrong) {
        EXPECT_FALSE(verdict.accepted()) << what << ": survived, but " << outcome.why;
      } else if (exhaustive_) {
        EXPECT_TRUE(verdict.accepted())
            << what << ": harmless, but refused: " << verdict.complaints.front().text;
      }
      for (const Complaint& complaint : verdict.complaints) {
        const std::string flaw = flaw_of(complaint, mutant);
        EXPECT_TRUE(flaw.empty()) << what << ": " << complaint.text << ": " << flaw;
      }
    }
  }

  void report(const std::string& title) {
    const Count sum = tally_.sum();
    // Random orders may miss what is wrong, so that a refusal is then no false alarm.
    const std::string alarms = exhaustive_ ? "false alarms" : "not caught";
    const std::string table = tally_.text(alarms);
    std::cout << title << "\n" << table;
    RecordProperty("mutants", sum.total);
    RecordProperty("refused", sum.refused);
    RecordProperty("accepted", sum.accepted);
    RecordProperty("survivors", sum.survivors);
    RecordProperty(exhaustive_ ? "false_alarms" : "not_caught", sum.false_alarms);
    RecordProperty("by_kind", table);
    EXPECT_EQ(sum.survivors, 0);
    EXPECT_EQ(sum.undecided, 0);
    EXPECT_GT(sum.accepted, 0);
    if (exhaustive_) {
      EXPECT_EQ(sum.false_alarms, 0);
    }
  }

  bool exhaustive_ = true;
  Tally tally_;
};

TEST_F(Mutants, TwoAndThreeRanksInEveryInterleaving) {
  const auto oracle = [](const Plan& plan) { return explore(plan); };
  for (const int ranks : {2, 3}) {
    for (const NamedPlan& plan : all_plans(ranks, 2)) judge(plan, kExhaustiveSample, oracle);
  }
  for (const NamedPlan& plan : hand_written_plans(3, 1)) judge(plan, kExhaustiveSample, oracle);
  report("2 and 3 ranks, every interleaving");
  for (const MutationKind kind : kMutationKinds) {
    EXPECT_GT(tally_.of(kind).refused, 0) << name_of(kind);
  }
}

TEST_F(Mutants, FourRanksInEveryInterleaving) {
  const auto oracle = [](const Plan& plan) { return explore(plan); };
  for (const NamedPlan& plan : all_plans(4, 1)) judge(plan, kFourRankSample, oracle);
  report("4 ranks, sampled mutants, every interleaving");
}

TEST_F(Mutants, FourToEightRanksInRandomInterleavings) {
  exhaustive_ = false;
  const auto oracle = [](const Plan& plan) { return sample(plan, kWalks, kSeed); };
  for (const int ranks : {4, 5, 6, 7, 8}) {
    for (const NamedPlan& plan : all_plans(ranks, 1)) judge(plan, kRandomSample, oracle);
  }
  report("4 to 8 ranks, sampled mutants, random interleavings");
}

}  // namespace
}  // namespace conccl::plan::oracle
