// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/model/profile_fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "tests/c3/model/profile_support.hpp"

namespace conccl::c3 {
namespace {

using plan::Collective;
using testing::HasSubstr;
using testing::StartsWith;

/// Factors have four digits.
void expect_same_table(const SlowdownTable& found, const SlowdownTable& known) {
  ASSERT_EQ(found.size(), known.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].units, known[i].units);
    EXPECT_NEAR(found[i].factor, known[i].factor, 6e-4) << found[i].units;
  }
}

TEST(FitProfile, GivesGemmsTheirOwnTimesAndTables) {
  const Machine known = known_machine();
  const Machine machine = fitted(samples_alone(kLimits));
  ASSERT_EQ(machine.model.gemms.size(), kComputeGemms.size() + kMemoryGemms.size());
  for (const KnownGemm& gemm : machine.model.gemms) {
    SCOPED_TRACE(to_string(gemm.gemm));
    const TaskCost cost = gemm_cost(known, gemm.gemm);
    EXPECT_EQ(gemm.time_ns, static_cast<double>(cost.alone.count()));
    expect_same_table(gemm.slowdown, cost.slowdown);
    expect_same_table(gemm.slowdown_beside, cost.slowdown_beside);
  }
}

TEST(FitProfile, TakesTheLargestWhereNoiseHidTheBytes) {
  auto samples = samples_alone(kLimits);
  Bytes largest = 0;
  for (Sample& sample : samples) {
    if (sample.kind != Sample::Kind::collective) continue;
    sample.ms.median = sample.ms.min = sample.ms.max = 2;
    largest = std::max(largest, sample.bytes);
  }
  const LinearCost cost = fitted(samples).baseline.at("all_gather").cost;
  EXPECT_EQ(cost.fixed_ns, 0);
  EXPECT_NEAR(cost.ns_per_byte, 2e6 / static_cast<double>(largest), 1e-3 * cost.ns_per_byte);
}

TEST(FitProfile, GivesOtherGemmsTheTablesOfTheirKind) {
  const Machine known = known_machine();
  const Machine machine = fitted(samples_alone(kLimits));
  for (const char* kind :
       {"compute_bound", "compute_bound_beside", "memory_bound", "memory_bound_beside"}) {
    SCOPED_TRACE(kind);
    expect_same_table(machine.model.slowdown.at(kind), known.model.slowdown.at(kind));
  }
  for (const GemmSpec& unseen : {GemmSpec{{4096, 8192, 4096}}, GemmSpec{{64, 16384, 8192}}}) {
    const double expected = to_ms(gemm_cost(known, unseen).alone);
    EXPECT_NEAR(to_ms(gemm_cost(machine, unseen).alone) / expected, 1, 0.05) << to_string(unseen);
  }
}

TEST(FitProfile, WithoutGemmsOfOneKindTakesThoseOfTheOtherAndSaysSo) {
  auto samples = samples_alone(kLimits);
  std::erase_if(samples, [](const Sample& sample) {
    return sample.kind == Sample::Kind::gemm &&
           std::ranges::find(kMemoryGemms, sample.gemm) != kMemoryGemms.end();
  });
  const Machine machine = fitted(samples);
  const auto& tables = machine.model.slowdown;
  EXPECT_EQ(tables.at("memory_bound"), tables.at("compute_bound"));
  EXPECT_EQ(tables.at("memory_bound_beside"), tables.at("compute_bound_beside"));
  EXPECT_THAT(machine.sources.at("model.slowdown.memory_bound"),
              HasSubstr("medians of 2 GEMMs, none of which is of this kind"));
  EXPECT_EQ(machine.sources.at("model.slowdown.compute_bound"),
            std::string(kSource) + ": medians of 2 GEMMs");
}

TEST(FitProfile, GivesCollectivesOnKernelsTheirTimesAndWhatLimitsCost) {
  const Machine known = known_machine();
  const auto samples = samples_alone(kLimits);
  const Machine machine = fitted(samples);
  ASSERT_EQ(machine.baseline.size(), 2u);
  for (const auto& [name, facts] : machine.baseline) {
    SCOPED_TRACE(name);
    const CollectiveFacts& truth = known.baseline.at(name);
    EXPECT_NEAR(facts.cost.fixed_ns, truth.cost.fixed_ns, 2);
    EXPECT_NEAR(facts.cost.ns_per_byte, truth.cost.ns_per_byte, 1e-4 * truth.cost.ns_per_byte);
    EXPECT_EQ(facts.compute_units, truth.compute_units);
    ASSERT_EQ(facts.times.size(), kSizes.size());
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
      EXPECT_EQ(facts.times[i].bytes, kSizes[i]);
      EXPECT_NEAR(facts.times[i].ns, static_cast<double>(truth.cost.at(kSizes[i]).count()), 2);
    }
    expect_same_table(machine.model.slowdown.at(name), known.model.slowdown.at(name));
  }
}

TEST(FitProfile, TablesOfLimitsEndWithinTheDevice) {
  auto samples = samples_alone(kLimits);
  for (Sample& sample : samples) {
    if (sample.kind == Sample::Kind::collective && sample.budget > 0) sample.ms.median *= 100;
  }
  const Machine machine = fitted(samples);
  const SlowdownTable& table = machine.model.slowdown.at("all_gather");
  EXPECT_EQ(table.back().units, machine.device.compute_units);
  EXPECT_GT(table.back().factor, 1);
  EXPECT_EQ(parse_machine(to_toml(machine), "written"), machine);
}

TEST(FitProfile, FindsLaunchAndRateOfDmaEngines) {
  const Machine known = known_machine();
  const Machine machine = fitted(samples_alone(kLimits));
  EXPECT_NEAR(machine.model.dma_launch_ns / known.model.dma_launch_ns, 1, 0.01);
  EXPECT_NEAR(machine.model.dma_gbps / known.model.dma_gbps, 1, 0.01);
  EXPECT_NEAR(machine.model.link_efficiency / known.model.link_efficiency, 1, 0.01);
  EXPECT_EQ(machine.model.dma_local_gbps, known.model.dma_local_gbps);
}

TEST(FitProfile, WithoutDmaEnginesKnowsNothingOfThem) {
  auto samples = samples_alone(kLimits);
  std::erase_if(samples, [](const Sample& sample) { return sample.how == kOnDma; });
  EXPECT_EQ(fitted(samples).model.dma_gbps, 0);
}

/// Against the times that it was fitted to.
void expect_close(const Machine& known, std::span<const int> limits) {
  const auto samples = samples_of(known, limits);
  const auto rows = rows_of(samples, known.devices);
  const Comparison comparison = compare(fitted(samples), rows);
  ASSERT_EQ(comparison.rows.size(), rows.size());
  // Under four strategies without a budget, two with `limits`, one with four; with GEMMs of two
  // kinds and both collectives.
  ASSERT_EQ(rows.size(), (4 + 2 * limits.size() + 4) * 8);
  const ErrorSummary errors = overall_errors(comparison);
  const ComparedRow& worst = comparison.rows[errors.worst];
  EXPECT_LT(errors.median_c3, 0.02);
  EXPECT_LT(std::abs(worst.error.t_c3), 0.05)
      << worst.measured.scenario << ' ' << worst.measured.strategy << ' ' << worst.measured.budget;
  EXPECT_LT(errors.median_gemm, 1e-4);
  EXPECT_LT(errors.median_comm, 1e-3);
}

TEST(FitProfile, PredictsWhatItWasFittedTo) { expect_close(known_machine(), kLimits); }

TEST(FitProfile, PredictsKernelsThatTakeAnyNumberOfUnits) {
  expect_close(known_sharing_machine(), kWholeSteps);
}

TEST(FitProfile, NeedsItsFactorsForThat) {
  const auto samples = samples_of(known_machine(), kLimits);
  const auto rows = rows_of(samples, 2);
  Machine machine = fitted(samples);
  const auto with = errors_by_strategy(compare(machine, rows));
  machine.model.beside.clear();
  for (KnownGemm& known : machine.model.gemms) known.beside = {};
  const auto without = errors_by_strategy(compare(machine, rows));
  ASSERT_EQ(with.size(), without.size());
  for (std::size_t i = 0; i < with.size(); ++i) {
    if (with[i].strategy != "c3_sp" && with[i].strategy != "conccl") continue;
    EXPECT_LT(with[i].median_c3, 0.01) << with[i].strategy;
    EXPECT_GT(without[i].median_c3, 0.015) << with[i].strategy;
  }
}

TEST(FitProfile, FindsTheShareOfALateKernel) {
  const Machine known = known_sharing_machine();
  const Machine machine = fitted(samples_of(known, kWholeSteps));
  EXPECT_NEAR(machine.model.late_share, known.model.late_share, 0.02);
  EXPECT_NEAR(machine.model.flag_ns, known.model.flag_ns, 300);
  EXPECT_EQ(machine.model.kernel_step, 0);
}

TEST(FitProfile, NotesWhichBytesItWasFittedTo) {
  auto samples = samples_of(known_machine(), kLimits);
  std::erase_if(samples, [](const Sample& sample) {
    return sample.kind == Sample::Kind::together && sample.bytes != 16 * kMiB;
  });
  const Machine machine = fitted(samples);
  EXPECT_EQ(machine.model.fitted_from, 16 * kMiB);
  EXPECT_EQ(machine.model.fitted_to, 16 * kMiB);
}

TEST(FitProfile, FindsTheStepOfPartitions) {
  EXPECT_EQ(fitted(samples_alone(kLimits)).model.unit_step, 8);
  auto finer = samples_alone(kLimits);
  finer.push_back(finer.front());
  finer.back().budget = 6;
  EXPECT_EQ(fitted(finer).model.unit_step, 2);
  std::erase_if(finer,
                [](const Sample& s) { return s.kind == Sample::Kind::gemm && s.budget > 0; });
  EXPECT_EQ(fitted(finer).model.unit_step, 1) << "no partition was tried";
}

TEST(FitProfile, KernelsHaveAStepWhereLimitsAreNoMultiples) {
  const Machine roaming = fitted(samples_alone(kLimits));
  EXPECT_EQ(roaming.model.kernel_step, 8);
  EXPECT_TRUE(roaming.sources.contains("model.kernel_step"));
  const Machine held = fitted(samples_alone(kWholeSteps));
  EXPECT_EQ(held.model.kernel_step, 0);
  EXPECT_FALSE(held.sources.contains("model.kernel_step"));
}

TEST(FitProfile, SaysOfEveryFigureWhereItIsFromAndCanBeWritten) {
  const Machine machine = fitted(few_samples(kLimits));
  const Machine probed = probed_machine();
  std::set<std::string> others;
  for (const auto& [field, source] : machine.sources) {
    const auto from = probed.sources.find(field);
    if (from != probed.sources.end()) {
      EXPECT_EQ(source, from->second) << field;
    } else if (!source.starts_with(std::string(kSource) + ": ")) {
      others.insert(field);
    }
  }
  EXPECT_EQ(others, std::set<std::string>{"model.dma_local_gbps"});
  EXPECT_THAT(machine.sources.at("model.dma_local_gbps"), HasSubstr("device.memory_bandwidth"));
  // Writing refuses a figure without a source.
  EXPECT_EQ(parse_machine(to_toml(machine), "written"), machine);
}

TEST(FitProfile, SaysHowWellItDoesAndHowFarRoundsLieApart) {
  auto samples = samples_of(known_machine(), kLimits);
  std::erase_if(samples, [](const Sample& sample) {
    return sample.kind == Sample::Kind::together && sample.how != "conccl";
  });
  for (Sample& sample : samples) {
    if (sample.kind == Sample::Kind::gemm) sample.ms = {1, 0.5, 2, 5};
    if (sample.kind == Sample::Kind::collective) sample.ms.max = 1.25 * sample.ms.median;
  }
  samples.push_back(samples.front());
  samples.back().ms.min = 0.25;
  const Machine machine = fitted(samples);
  EXPECT_THAT(machine.notes.at("model"), StartsWith("of 8 times together"));
  EXPECT_THAT(machine.sources.at(source_field(samples.front().gemm)),
              HasSubstr("0.25 to 2 ms in 10 rounds"));
  EXPECT_THAT(machine.sources.at("baseline.all_gather.times"), HasSubstr("by up to 25 %"));
}

TEST(FitProfile, KeepsWhatWasProbedAndNoModelFromBefore) {
  Machine before = known_machine();
  before.model.cache_gbps = 7;
  before.model.gemms.push_back({{{1, 2, 3}}, 4, {}});
  const auto samples = samples_alone(kLimits);
  const Machine machine = fit_profile(before, samples, kSource);
  EXPECT_EQ(machine.link, before.link);
  EXPECT_EQ(machine.name, before.name);
  EXPECT_EQ(machine.model, fitted(samples).model);
}

TEST(FitProfile, IsDeterministic) {
  const auto samples = few_samples(kLimits);
  EXPECT_EQ(fitted(samples), fitted(samples));
}

TEST(FitProfile, NamesWhatIsMissing) {
  using Drop = std::function<bool(const Sample&)>;
  const auto expect_refused = [](const Drop& drop, const std::string& part) {
    auto samples = samples_alone(kLimits);
    ASSERT_GT(std::erase_if(samples, drop), 0u) << part;
    EXPECT_THAT(input_error([&] { (void)fitted(samples); }),
                testing::AllOf(StartsWith("samples: "), HasSubstr(part)));
  };
  const auto is_larger = [](const Sample& sample, Collective collective, std::string_view how) {
    return sample.kind == Sample::Kind::collective && sample.collective == collective &&
           sample.how == how && sample.bytes > kSizes[0];
  };
  expect_refused([](const Sample& sample) { return sample.kind == Sample::Kind::gemm; }, "no GEMM");
  expect_refused([&](const Sample& s) { return is_larger(s, Collective::all_gather, kOnKernels); },
                 "1 sizes of all_gather on kernels");
  expect_refused([&](const Sample& s) { return is_larger(s, Collective::all_to_all, kOnKernels); },
                 "1 sizes of all_to_all on kernels");
  expect_refused([&](const Sample& s) { return is_larger(s, Collective::all_gather, kOnDma); },
                 "1 sizes of all_gather on DMA engines");
}

TEST(FitProfile, TakesTheMeanOfTimesThatFallWithMoreBytes) {
  auto samples = samples_alone(kLimits);
  for (Sample& sample : samples) {
    const bool kernels = sample.kind == Sample::Kind::collective && sample.how == kOnKernels;
    if (!kernels || sample.budget != 0) continue;
    if (sample.bytes == kSizes[0]) sample.ms = {3, 3, 3, 5};
    if (sample.bytes == kSizes[1]) sample.ms = {1, 1, 1, 5};
    if (sample.bytes == kSizes[2]) sample.ms = {4, 4, 4, 5};
  }
  const auto times = fitted(samples).baseline.at("all_gather").times;
  const std::vector<CollectiveTime> expected{{kSizes[0], 2e6}, {kSizes[1], 2e6}, {kSizes[2], 4e6}};
  EXPECT_EQ(times, expected);
}

}  // namespace
}  // namespace conccl::c3
