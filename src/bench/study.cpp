// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/bench/study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/scenario_study.hpp"
#include "bench/what_runs.hpp"
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
  if (!(options.rest >= 0 && options.rest <= kLongestRest)) {
    throw InputError(fmt::format("rest: {} is not within 0 .. {}", options.rest, kLongestRest));
  }
  at_least("ranks", options.ranks, 2);
  if (options.suite.scenarios.empty()) throw InputError("suite: no scenarios");
}

/// Peers that were looked for and cannot run are told of, but for strategies that say so already.
void describe_peers(Report& report, const StudyOptions& options, const Peers& peers) {
  report.peers = peers.facts();
  if (options.peers == PeerPolicy::none) return;
  for (const auto& peer : report.peers) {
    const bool told = std::any_of(report.skipped.begin(), report.skipped.end(),
                                  [&](const auto& each) { return each.strategy == peer.name; });
    if (!peer.reason.empty() && !told) report.skipped.push_back({peer.name, peer.reason});
  }
}

void describe(Report& report, const backend::Backend& backend, const StudyOptions& options) {
  const auto& capabilities = backend.capabilities();
  report.machine = backend.machine();
  report.emulation = capabilities.emulation;
  report.scaled = capabilities.emulation && options.sizes == SizePolicy::scaled;
  report.gemm_library = capabilities.gemm_library;
  report.suite = options.suite.name;
  report.suite_hash = options.suite.hash;
  report.launch = options.launch;
  report.ranks = options.ranks;
  report.warmup = options.warmup;
  report.rounds = options.rounds;
  report.rest = options.rest;
  report.seed = options.seed;
  report.partial = true;
}

std::string why_none_runs(const std::vector<Skipped>& skipped) {
  std::string text = "no strategy can run here";
  for (const auto& each : skipped) {
    if (!each.strategy.empty()) text += fmt::format("; {}: {}", each.strategy, each.reason);
  }
  return text;
}

void run_scenarios(const StudyParts& parts, const StudyHooks& hooks, Report& report) {
  const auto& options = parts.options;
  const auto device = shape_of(parts.capabilities);
  const auto scenarios =
      runnable_scenarios(options.suite, parts.capabilities.gemms, report.skipped);
  const auto strategies = runnable_strategies(options, device, parts.peers, report.skipped);
  describe_peers(report, options, parts.peers);
  if (strategies.empty()) throw Unavailable(why_none_runs(report.skipped));
  Sizer sizer(parts.rig, parts.peers, options, parts.capabilities);
  ScenarioStudy study(parts, device, strategies);
  std::mt19937_64 random(options.seed);
  for (std::size_t index = 0; index < scenarios.size(); ++index) {
    const auto& scenario = scenarios[index];
    int round = 0;
    const auto tell = [&] {
      if (!hooks.progress) return;
      hooks.progress({index, scenarios.size(), round++, study.round_count(), scenario.name});
    };
    tell();
    const auto [results, sustained] = study.run(scenario, sizer.size_of(scenario), random, tell);
    report.results.insert(report.results.end(), results.begin(), results.end());
    if (sustained) report.sustained.push_back(*sustained);
    if (hooks.scenario_done) hooks.scenario_done(report, results);
  }
}

}  // namespace

void check_study(const backend::Backend& backend, const StudyOptions& options) {
  validate(options);
  std::vector<Skipped> skipped;
  const auto scenarios = runnable_scenarios(options.suite, backend.capabilities().gemms, skipped);
  if (scenarios.empty()) throw Unavailable(skipped.front().reason);
}

void run_study(backend::Backend& backend, const StudyOptions& options, const StudyHooks& hooks,
               Report& report) {
  check_study(backend, options);
  describe(report, backend, options);
  const auto& capabilities = backend.capabilities();
  Ranks ranks = Ranks::open(backend, options.launch, options.ranks, communicator_options(options));
  ranks.run_together([&] {
    Peers peers(ranks, capabilities, options);
    Rig rig(ranks, capabilities, hooks.interrupt);
    FollowUp follow_up(ranks, options, backend);
    try {
      run_scenarios({rig, peers, follow_up, capabilities, options, hooks.interrupt}, hooks, report);
      report.trace = follow_up.trace();
    } catch (...) {
      peers.give_up();
      throw;
    }
  });
  report.partial = false;
}

}  // namespace conccl::bench
