// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/advisor/evaluate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/c3/model/support.hpp"

namespace conccl::c3 {
namespace {

/// The model's choice here is conccl.
StudyCase study_case(std::vector<Outcome> outcomes) {
  return {"some",
          {{{1000, 1000, 1000}}, plan::Collective::all_gather, 1'000'000},
          4,
          std::move(outcomes)};
}

Evaluation evaluated(const std::vector<StudyCase>& cases) {
  return evaluate(plain_machine(), cases, RuleSet::model);
}

TEST(Evaluate, IsRightWithinTheRangeOfTheBest) {
  const auto result =
      evaluated({study_case({{"serial", 10, 9, 11.5, {}}, {"conccl", 11, 10.5, 12, {}}})});
  ASSERT_EQ(result.choices.size(), 1U);
  EXPECT_EQ(result.choices[0].chosen, "conccl");
  EXPECT_EQ(result.choices[0].best, "serial");
  EXPECT_TRUE(result.choices[0].right);
  EXPECT_NEAR(result.choices[0].loss, 0.1, 1e-12);
  EXPECT_EQ(result.of_choices.right, 1);
}

TEST(Evaluate, IsWrongBeyondIt) {
  const auto result =
      evaluated({study_case({{"serial", 10, 9, 10.9, {}}, {"conccl", 11, 10.5, 12, {}}})});
  EXPECT_FALSE(result.choices.at(0).right);
  EXPECT_EQ(result.of_choices.right, 0);
}

TEST(Evaluate, ComparesWithStrategiesThatAreNoCandidates) {
  const auto result =
      evaluated({study_case({{"nccl_ce", 8, 8, 8, {}}, {"conccl", 10, 10, 10, {}}})});
  EXPECT_EQ(result.choices.at(0).best, "nccl_ce");
  EXPECT_NEAR(result.of_choices.worst_loss, 0.25, 1e-12);
}

TEST(Evaluate, ChoosesAmongWhatTheStudyHas) {
  const auto result = evaluated({study_case({{"serial", 10, 10, 10, {}}, {"c3_sp", 7, 7, 7, {}}})});
  EXPECT_EQ(result.choices.at(0).chosen, "c3_sp");
}

TEST(Evaluate, CountsScenariosWithoutAChoice) {
  const auto result =
      evaluated({study_case({{"nccl_ce", 8, 8, 8, {}}}),
                 study_case({{"serial", 10, 10, 10, {}}, {"conccl", 12, 12, 12, {}}})});
  EXPECT_EQ(result.of_choices.scenarios, 2);
  EXPECT_EQ(result.of_choices.without_choice, 1);
  EXPECT_TRUE(result.choices.at(0).chosen.empty());
  EXPECT_NEAR(result.of_choices.mean_loss, 0.2, 1e-12) << "of the one that has a choice";
}

TEST(Evaluate, JudgesTheSplitByTheSweep) {
  const Machine machine = plain_machine();
  const int rule = [&] {
    for (const auto& each : candidates(machine, study_case({}).question, RuleSet::model)) {
      if (each.name == "c3_rp") return each.probe().budget;
    }
    return 0;
  }();
  ASSERT_GT(rule, 0);
  const auto result = evaluated({study_case({{"c3_rp", 10, 10, 10, {{rule, 12}, {rule + 1, 10}}}}),
                                 study_case({{"c3_rp", 10, 10, 10, {{rule + 1, 10}}}}),
                                 study_case({{"serial", 1, 1, 1, {}}})});
  ASSERT_EQ(result.splits.size(), 1U) << "where the study tried the rule's";
  EXPECT_EQ(result.splits[0].chosen, rule);
  EXPECT_EQ(result.splits[0].best, rule + 1);
  EXPECT_NEAR(result.of_splits.worst_loss, 0.2, 1e-12);
  EXPECT_EQ(result.of_splits.right, 0);
}

TEST(Evaluate, RefusesAnotherMachinesReport) {
  StudyCase other = study_case({{"serial", 1, 1, 1, {}}});
  other.ranks = 2;
  EXPECT_THAT(input_error([&] { (void)evaluated({other}); }),
              testing::HasSubstr("2 ranks, but machine \"plain\" has 4 devices"));
  EXPECT_THAT(input_error([&] { (void)evaluated({study_case({})}); }),
              testing::HasSubstr("no results"));
}

}  // namespace
}  // namespace conccl::c3
