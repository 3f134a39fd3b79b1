// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/bench/study.hpp"

#include <fmt/format.h>

#include "bench/scenario_study.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

void validate(const StudyOptions& options) {
  const auto at_least = [](std::string_view what, int value, int least) {
    if (value < least)
      throw InputError(fmt::format("{}: {} is not at least {}", what, value, least));
  };
  at_least("rounds", options.rounds, 1);
  at_least("warmup", options.warmup, 0);
  at_least("sweep rounds", options.sweep_rounds, 1);
  at_least("ranks", options.ranks, 2);
  if (options.suite.scenarios.empty()) throw InputError("suite: no scenarios");
}

/// The strategies that can run here; the others go to `skipped`.
std::vector<c3::Strategy> runnable(const StudyOptions& options, const c3::DeviceShape& device,
                                   std::vector<Skipped>& skipped) {
  std::vector<c3::Strategy> wanted;
  for (const auto& name : options.strategies) wanted.push_back(c3::find_strategy(name));
  if (wanted.empty()) wanted = c3::strategies();
  std::vector<c3::Strategy> list;
  for (const auto& strategy : wanted) {
    const int least = strategy.budget == c3::BudgetKind::comm_units ? 1 : 0;
    const auto reason = c3::why_not(strategy, device, least);
    if (reason.empty()) list.push_back(strategy);
    if (!reason.empty()) skipped.push_back({std::string(strategy.name), reason});
  }
  return list;
}

void describe(Report& report, const backend::Backend& backend, const StudyOptions& options) {
  const auto& capabilities = backend.capabilities();
  report.machine = backend.machine();
  report.emulation = capabilities.emulation;
  report.gemm_library = capabilities.gemm_library;
  report.suite = options.suite.name;
  report.suite_hash = options.suite.hash;
  report.launch = options.launch;
  report.ranks = options.ranks;
  report.warmup = options.warmup;
  report.rounds = options.rounds;
  report.seed = options.seed;
  report.partial = true;
}

comm::Options communicator_options(const StudyOptions& options) {
  comm::Options result;
  result.name = "bench";
  result.deadline = options.deadline;
  return result;
}

void run_scenarios(Rig& rig, const backend::Capabilities& capabilities, const StudyOptions& options,
                   const StudyHooks& hooks, Report& report) {
  const c3::DeviceShape device{capabilities.compute_units, capabilities.dma_engines};
  const auto strategies = runnable(options, device, report.skipped);
  Sizer sizer(rig, options, capabilities);
  ScenarioStudy study(rig, options, device, strategies);
  std::mt19937_64 random(options.seed);
  for (std::size_t index = 0; index < options.suite.scenarios.size(); ++index) {
    const auto& scenario = options.suite.scenarios[index];
    int round = 0;
    const auto tell = [&] {
      if (!hooks.progress) return;
      hooks.progress(
          {index, options.suite.scenarios.size(), round++, study.round_count(), scenario.name});
    };
    tell();
    const auto results = study.run(scenario, sizer.size_of(scenario), random, tell);
    report.results.insert(report.results.end(), results.begin(), results.end());
    if (hooks.scenario_done) hooks.scenario_done(report, results);
  }
}

}  // namespace

void run_study(backend::Backend& backend, const StudyOptions& options, const StudyHooks& hooks,
               Report& report) {
  validate(options);
  describe(report, backend, options);
  const auto& capabilities = backend.capabilities();
  Ranks ranks = Ranks::open(backend, options.launch, options.ranks, communicator_options(options));
  ranks.run_together([&] {
    Rig rig(ranks, capabilities, hooks.interrupt);
    run_scenarios(rig, capabilities, options, hooks, report);
  });
  report.partial = false;
}

}  // namespace conccl::bench
