// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/bench/report.hpp"

#include <algorithm>

namespace conccl::bench {
namespace {

struct Gathered {
  std::string strategy;
  std::vector<double> speedups;
  std::vector<double> percents;
};

Gathered& entry_of(std::vector<Gathered>& all, const std::string& strategy) {
  const auto found = std::find_if(all.begin(), all.end(), [&strategy](const Gathered& entry) {
    return entry.strategy == strategy;
  });
  if (found != all.end()) return *found;
  return all.emplace_back(Gathered{strategy, {}, {}});
}

StrategySummary summary_of(const Gathered& gathered) {
  StrategySummary summary;
  summary.strategy = gathered.strategy;
  summary.scenarios = static_cast<int>(gathered.speedups.size());
  summary.left_out = summary.scenarios - static_cast<int>(gathered.percents.size());
  summary.speedup = mean(gathered.speedups);
  if (!gathered.percents.empty()) summary.percent = mean(gathered.percents);
  return summary;
}

}  // namespace

std::vector<StrategySummary> summarize_strategies(const Report& report,
                                                  std::optional<plan::Collective> collective) {
  std::vector<Gathered> gathered;
  for (const auto& result : report.results) {
    if (collective && result.collective != *collective) continue;
    Gathered& entry = entry_of(gathered, result.strategy);
    entry.speedups.push_back(result.own.speedup);
    if (result.own.percent) entry.percents.push_back(*result.own.percent);
  }
  std::vector<StrategySummary> summaries;
  summaries.reserve(gathered.size());
  for (const auto& entry : gathered) summaries.push_back(summary_of(entry));
  return summaries;
}

}  // namespace conccl::bench
