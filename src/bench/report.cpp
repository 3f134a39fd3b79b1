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
  std::vector<double> baseline_percents;
  std::vector<double> over_vendor_copies;
};

Gathered& entry_of(std::vector<Gathered>& all, const std::string& strategy) {
  const auto found = std::find_if(all.begin(), all.end(), [&strategy](const Gathered& entry) {
    return entry.strategy == strategy;
  });
  if (found != all.end()) return *found;
  return all.emplace_back(Gathered{strategy, {}, {}, {}, {}});
}

/// The same scenario beside the vendor's copy-engine mode; null where that did not run.
const Result* beside_vendor_copies(const Report& report, const Result& result) {
  const auto found =
      std::find_if(report.results.begin(), report.results.end(), [&](const Result& other) {
        return other.strategy == kVendorCopiesStrategy && other.scenario == result.scenario &&
               other.collective == result.collective;
      });
  return found == report.results.end() ? nullptr : &*found;
}

std::optional<double> mean_if_any(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(mean(values));
}

void add(Gathered& entry, const Report& report, const Result& result) {
  entry.speedups.push_back(result.own.speedup);
  if (result.own.percent) entry.percents.push_back(*result.own.percent);
  if (result.baseline && result.baseline->percent) {
    entry.baseline_percents.push_back(*result.baseline->percent);
  }
  if (const auto* other = beside_vendor_copies(report, result)) {
    entry.over_vendor_copies.push_back(result.t_c3_ms.median / other->t_c3_ms.median);
  }
}

StrategySummary summary_of(const Gathered& gathered) {
  StrategySummary summary;
  summary.strategy = gathered.strategy;
  summary.scenarios = static_cast<int>(gathered.speedups.size());
  summary.left_out = summary.scenarios - static_cast<int>(gathered.percents.size());
  summary.speedup = mean(gathered.speedups);
  summary.percent = mean_if_any(gathered.percents);
  summary.baseline_percent = mean_if_any(gathered.baseline_percents);
  if (!gathered.over_vendor_copies.empty()) {
    summary.over_vendor_copies = geometric_mean(gathered.over_vendor_copies);
  }
  return summary;
}

}  // namespace

std::vector<std::vector<Result>> rows_of(const Report& report) {
  std::vector<std::vector<Result>> rows;
  for (const auto& result : report.results) {
    const auto same = std::find_if(rows.begin(), rows.end(), [&result](const auto& row) {
      return row.front().scenario == result.scenario && row.front().collective == result.collective;
    });
    (same == rows.end() ? rows.emplace_back() : *same).push_back(result);
  }
  return rows;
}

std::vector<StrategySummary> summarize_strategies(const Report& report,
                                                  std::optional<plan::Collective> collective) {
  std::vector<Gathered> gathered;
  for (const auto& result : report.results) {
    if (collective && result.collective != *collective) continue;
    add(entry_of(gathered, result.strategy), report, result);
  }
  std::vector<StrategySummary> summaries;
  summaries.reserve(gathered.size());
  for (const auto& entry : gathered) summaries.push_back(summary_of(entry));
  return summaries;
}

}  // namespace conccl::bench
