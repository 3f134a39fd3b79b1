// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/advisor/advise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "conccl/core/machine.hpp"
#include "tests/c3/model/support.hpp"
#include "tests/support/machine_file.hpp"

namespace conccl::c3 {
namespace {

using testing::HasSubstr;

constexpr Question kSmall{{{1000, 1000, 1000}}, plan::Collective::all_gather, 1'000'000};

Considered considered(std::string name, int ns) {
  Considered one;
  one.name = std::move(name);
  if (ns > 0) one.probe.time = Nanoseconds(ns);
  return one;
}

Considered passed_over(std::string name, int ns) {
  Considered one = considered(std::move(name), ns);
  one.probe.passed_over = "of a rule";
  return one;
}

TEST(BestOf, TakesTheFastestAndOfEqualOnesTheFirst) {
  const std::vector<Considered> all{considered("a", 3), considered("b", 2), considered("c", 2)};
  EXPECT_EQ(best_of(all, {}, 0)->name, "b");
}

TEST(BestOf, LeavesOutWhatIsImpossibleOrPassedOver) {
  const std::vector<Considered> all{considered("a", 0), passed_over("b", 1), considered("c", 2)};
  EXPECT_EQ(best_of(all, {}, 0)->name, "c");
}

TEST(BestOf, KeepsToTheNames) {
  const std::vector<Considered> all{considered("a", 1), considered("b", 3), considered("c", 2)};
  EXPECT_EQ(best_of(all, std::vector<std::string>{"b", "c", "other"}, 0)->name, "c");
  EXPECT_EQ(best_of(all, std::vector<std::string>{"other"}, 0), nullptr);
  EXPECT_EQ(best_of({}, {}, 0), nullptr);
}

TEST(BestOf, WithinTheErrorDmaEnginesGoFirst) {
  const std::vector<Considered> all{considered("c3_base", 1000), considered("c3_rp", 990),
                                    considered("conccl", 1005), considered("conccl_rp", 1009)};
  EXPECT_EQ(best_of(all, {}, 0)->name, "c3_rp");
  EXPECT_EQ(best_of(all, {}, 0.014)->name, "c3_rp");
  EXPECT_EQ(best_of(all, {}, 0.016)->name, "conccl");
  EXPECT_EQ(best_of(all, {}, 0.02)->name, "conccl_rp") << "the later of two";
  EXPECT_EQ(best_of(all, std::vector<std::string>{"c3_base", "conccl"}, 0.02)->name, "conccl");
  EXPECT_EQ(best_of(all, std::vector<std::string>{"c3_base", "c3_rp"}, 0.02)->name, "c3_rp");
}

TEST(BestOf, WithinTheErrorWhatIsPassedOverStaysOut) {
  const std::vector<Considered> all{considered("c3_rp", 990), passed_over("conccl", 991),
                                    considered("conccl_rp", 0)};
  EXPECT_EQ(best_of(all, {}, 0.1)->name, "c3_rp");
}

TEST(Advise, SaysThatItTakesEnginesWithinTheError) {
  // Kernels are much faster than DMA engines here, alone; beside such a GEMM it hardly matters.
  Machine machine = parse_machine(test::host_machine(2, "2 ms"), "test");
  const Question question{{{4096, 4096, 4096}}, plan::Collective::all_gather, 2 * kMiB};
  const Advice exact = advise(machine, question, RuleSet::model);
  ASSERT_EQ(find_strategy(exact.chosen).form, plan::Form::compute);
  machine.model.error = 1;
  const Advice loose = advise(machine, question, RuleSet::model);
  EXPECT_EQ(loose.chosen, "conccl_rp");
  EXPECT_THAT(loose.sentence, testing::AllOf(HasSubstr("within the model's error of 100.0 %"),
                                             HasSubstr(" more than " + exact.chosen)));
  EXPECT_EQ(error_of(machine, RuleSet::paper), 0);
  EXPECT_EQ(error_of(machine, RuleSet::model), 1);
}

TEST(RuleSets, HaveNames) {
  for (const RuleSet rules : {RuleSet::model, RuleSet::paper}) {
    EXPECT_EQ(parse_rule_set(name_of(rules)), rules);
    EXPECT_FALSE(what_of(rules).empty());
  }
  EXPECT_THAT(input_error([] { (void)parse_rule_set("magic"); }),
              HasSubstr("expected one of model, paper"));
}

TEST(Candidates, AreTheStrategiesInTheirOrder) {
  const Machine machine = plain_machine();
  for (const RuleSet rules : {RuleSet::model, RuleSet::paper}) {
    const auto all = candidates(machine, kSmall, rules);
    ASSERT_EQ(all.size(), strategies().size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].name, strategies()[i].name);
      EXPECT_FALSE(all[i].why.empty());
    }
  }
}

TEST(Candidates, ProbesArePure) {
  const Machine machine = plain_machine();
  for (const RuleSet rules : {RuleSet::model, RuleSet::paper}) {
    for (const Candidate& candidate : candidates(machine, kSmall, rules)) {
      const Probe first = candidate.probe();
      const Probe second = candidate.probe();
      EXPECT_EQ(first.time, second.time) << candidate.name;
      EXPECT_EQ(first.budget, second.budget) << candidate.name;
      EXPECT_EQ(first.reason, second.reason) << candidate.name;
    }
  }
}

TEST(ModelRules, AnswerWhatTheModelPredicts) {
  const Machine machine = plain_machine();
  Scenario scenario;
  scenario.gemm = kSmall.gemm;
  scenario.collective = kSmall.collective;
  scenario.bytes = kSmall.bytes;
  const ScenarioModel model(machine, scenario);
  for (const Considered& one : advise(machine, kSmall, RuleSet::model).considered) {
    const Prediction prediction = model.predict(find_strategy(one.name));
    EXPECT_EQ(one.probe.time, prediction.t_c3) << one.name;
    EXPECT_EQ(one.probe.budget, prediction.budget) << one.name;
  }
}

TEST(ModelRules, SayWhyNot) {
  Machine machine = plain_machine();
  machine.device.dma_engines = 0;
  const Advice advice = advise(machine, kSmall, RuleSet::model);
  for (const Considered& one : advice.considered) {
    const bool dma = find_strategy(one.name).form == plan::Form::dma;
    EXPECT_EQ(one.probe.time.has_value(), !dma) << one.name;
    if (dma) {
      EXPECT_EQ(one.probe.reason, "the device has no DMA engines");
    }
  }
  EXPECT_THAT(advice.chosen, testing::Not(HasSubstr("conccl")));
}

TEST(ModelRules, MarkWhatIsExtrapolated) {
  Machine machine = plain_machine();
  machine.model.fitted_from = kGiB;
  machine.model.fitted_to = 2 * kGiB;
  for (const Considered& one : advise(machine, kSmall, RuleSet::model).considered) {
    EXPECT_FALSE(one.probe.extrapolated.empty()) << one.name;
  }
}

TEST(Advise, GivesOneSentenceWithTheNextBest) {
  const Advice advice = advise(plain_machine(), kSmall, RuleSet::model);
  EXPECT_EQ(advice.chosen, advice.recommended);
  EXPECT_EQ(advice.chosen, best_of(advice.considered, {}, 0)->name);
  EXPECT_THAT(advice.sentence, testing::StartsWith(advice.chosen + ", because "));
  EXPECT_THAT(advice.sentence, HasSubstr("the next"));
  EXPECT_EQ(advice.sentence.find('\n'), std::string::npos);
}

TEST(Advise, NamesThoseThatTakeAsLong) {
  const Advice advice = advise(plain_machine(), kSmall, RuleSet::model);
  ASSERT_EQ(advice.chosen, "conccl");
  EXPECT_THAT(advice.sentence, HasSubstr("as long as conccl_rp, which comes later"));
  EXPECT_THAT(advice.sentence, testing::Not(HasSubstr(" 0.0 % less")));
  EXPECT_THAT(advice.sentence, testing::Not(HasSubstr("less than conccl")));
}

TEST(Advise, IsOverriddenByOneName) {
  const Advice advice = advise(plain_machine(), kSmall, RuleSet::model, "serial");
  EXPECT_EQ(advice.chosen, "serial");
  EXPECT_EQ(advice.recommended, "conccl");
  EXPECT_EQ(chosen_of(advice).name, "serial");
  EXPECT_THAT(advice.sentence, HasSubstr("serial was asked for; the rules take conccl"));
}

TEST(Advise, RefusesToBeOverriddenByWhatIsNotThere) {
  Machine machine = plain_machine();
  EXPECT_THAT(input_error([&] { (void)advise(machine, kSmall, RuleSet::model, "nccl_ce"); }),
              HasSubstr("strategy \"nccl_ce\": expected one of serial, c3_base"));
  machine.device.dma_engines = 0;
  EXPECT_THAT(input_error([&] { (void)advise(machine, kSmall, RuleSet::model, "conccl"); }),
              HasSubstr("strategy conccl: not possible, because the device has no DMA engines"));
}

TEST(Advise, NamesTheFigureThatIsMissing) {
  Machine machine = plain_machine();
  machine.baseline.clear();
  for (const RuleSet rules : {RuleSet::model, RuleSet::paper}) {
    EXPECT_THAT(input_error([&] { (void)advise(machine, kSmall, rules); }),
                HasSubstr("baseline.all_gather is not known"));
  }
}

TEST(Advise, RefusesTooFewBytes) {
  const Question question{kSmall.gemm, kSmall.collective, 3};
  for (const RuleSet rules : {RuleSet::model, RuleSet::paper}) {
    EXPECT_THAT(input_error([&] { (void)advise(plain_machine(), question, rules); }),
                HasSubstr("3 bytes are too few for 4 devices"));
  }
}

}  // namespace
}  // namespace conccl::c3
