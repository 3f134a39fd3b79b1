// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/bench/study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/scenario_study.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

// A GEMM's kernels may run as clusters of blocks, which need neighbouring units.
constexpr int kFewestStepsLeft = 2;

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

c3::DeviceShape shape_of(const backend::Capabilities& capabilities) {
  const int step = capabilities.unit_step;
  return {capabilities.compute_units, capabilities.dma_engines, step,
          step > 1 ? kFewestStepsLeft * step : 1, capabilities.own_block};
}

/// All there are beside these peers, or those asked for.
std::vector<c3::Strategy> wanted(const StudyOptions& options, const Peers& peers) {
  auto available = c3::strategies_beside(peers.carriers());
  if (options.strategies.empty()) return available;
  std::vector<c3::Strategy> list;
  for (const auto& name : options.strategies) {
    const auto found = std::find_if(available.begin(), available.end(),
                                    [&](const auto& each) { return each.name == name; });
    list.push_back(found != available.end() ? *found : c3::find_strategy(name));
  }
  return list;
}

/// Empty when the strategy can run here.
std::string why_never(const c3::Strategy& strategy, const c3::DeviceShape& device,
                      const Peers& peers) {
  if (strategy.carrier != c3::Carrier::own && peers.find(strategy.carrier) == nullptr) {
    return peers.why_not(strategy.carrier);
  }
  const auto budgets = c3::budgets_to_sweep(strategy, device);
  return c3::why_not(strategy, device, budgets.empty() ? device.unit_step : budgets.front());
}

/// The strategies that can run here; the others go to `skipped`.
std::vector<c3::Strategy> runnable(const StudyOptions& options, const c3::DeviceShape& device,
                                   const Peers& peers, std::vector<Skipped>& skipped) {
  std::vector<c3::Strategy> list;
  for (const auto& strategy : wanted(options, peers)) {
    const auto reason = why_never(strategy, device, peers);
    if (reason.empty()) list.push_back(strategy);
    if (!reason.empty()) skipped.push_back({std::string(strategy.name), reason});
  }
  return list;
}

/// The scenarios whose GEMM there is; each of the others goes to `skipped` once, whatever the
/// number of its collectives.
std::vector<c3::Scenario> runnable(const c3::Suite& suite, const backend::GemmOffers& gemms,
                                   std::vector<Skipped>& skipped) {
  std::vector<c3::Scenario> list;
  for (const auto& scenario : suite.scenarios) {
    const auto reason = backend::why_no_gemm(gemms, scenario.gemm);
    if (!reason) list.push_back(scenario);
    const bool told = !skipped.empty() && skipped.back().scenario == scenario.name;
    if (reason && !told) skipped.push_back({{}, *reason, scenario.name});
  }
  return list;
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

void run_scenarios(const StudyParts& parts, const StudyHooks& hooks, Report& report) {
  const auto& options = parts.options;
  const auto device = shape_of(parts.capabilities);
  const auto scenarios = runnable(options.suite, parts.capabilities.gemms, report.skipped);
  const auto strategies = runnable(options, device, parts.peers, report.skipped);
  describe_peers(report, options, parts.peers);
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
  const auto scenarios = runnable(options.suite, backend.capabilities().gemms, skipped);
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
