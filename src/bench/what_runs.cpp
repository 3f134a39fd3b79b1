// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/what_runs.hpp"

#include <algorithm>

namespace conccl::bench {
namespace {

// A GEMM's kernels may run as clusters of blocks, which need neighbouring units.
constexpr int kFewestStepsLeft = 2;

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

}  // namespace

comm::Options communicator_options(const StudyOptions& options) {
  comm::Options result;
  result.name = "bench";
  result.deadline = options.deadline;
  return result;
}

c3::DeviceShape shape_of(const backend::Capabilities& capabilities) {
  const int step = capabilities.unit_step;
  return {capabilities.compute_units, capabilities.dma_engines, step,
          step > 1 ? kFewestStepsLeft * step : 1, capabilities.own_block};
}

std::vector<c3::Strategy> runnable_strategies(const StudyOptions& options,
                                              const c3::DeviceShape& device, const Peers& peers,
                                              std::vector<Skipped>& skipped) {
  std::vector<c3::Strategy> list;
  for (const auto& strategy : wanted(options, peers)) {
    const auto reason = why_never(strategy, device, peers);
    if (reason.empty()) list.push_back(strategy);
    if (!reason.empty()) skipped.push_back({std::string(strategy.name), reason});
  }
  return list;
}

std::vector<c3::Scenario> runnable_scenarios(const c3::Suite& suite,
                                             const backend::GemmOffers& gemms,
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

}  // namespace conccl::bench
