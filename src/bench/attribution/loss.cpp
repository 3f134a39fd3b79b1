// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <vector>

#include "conccl/bench/attribution.hpp"
#include "conccl/core/statistics.hpp"

namespace conccl::bench {
namespace {

// Events of CUDA tell time in steps of half a microsecond.
constexpr double kLeastSpreadMs = 0.0005;

/// Trimmed.
double mean_of(std::span<const double> values, std::span<const std::size_t> rounds) {
  std::vector<double> drawn;
  drawn.reserve(rounds.size());
  for (const std::size_t round : rounds) drawn.push_back(values[round]);
  return trimmed_mean(drawn);
}

}  // namespace

Loss loss_of(const LossTimes& times) {
  const auto lost = [&times](std::span<const std::size_t> rounds) {
    return mean_of(times.c3_ms, rounds) -
           std::max(mean_of(times.gemm_ms, rounds), mean_of(times.comm_ms, rounds));
  };
  BootstrapOptions options;
  options.seed = times.seed;
  const Interval interval = bootstrap(times.c3_ms.size(), lost, options);
  const double ideal = std::max(trimmed_mean(times.gemm_ms), trimmed_mean(times.comm_ms));
  return {trimmed_mean(times.c3_ms) - ideal,
          std::max(kLeastSpreadMs, (interval.high - interval.low) / 2)};
}

bool matters(const Loss& loss) { return loss.lost_ms > kSpreadsThatMatter * loss.spread_ms; }

double explained_share(const Attribution& attribution) {
  const double lost = attribution.loss.lost_ms;
  if (lost <= 0) return 0;
  return std::max(0.0, 1 - std::abs(attribution.unexplained_ms) / lost);
}

AttributionSummary summarize_attributions(std::span<const Attribution> attributions) {
  AttributionSummary summary;
  std::vector<double> shares;
  for (const Attribution& each : attributions) {
    const double share = explained_share(each);
    if (share >= kShareToExplain) ++summary.explained;
    if (shares.empty() || share < summary.least_share) {
      summary.least_share = share;
      summary.least = each.scenario.empty() ? each.strategy : each.scenario + ", " + each.strategy;
    }
    shares.push_back(share);
  }
  summary.count = shares.size();
  if (!shares.empty()) summary.median_share = median(shares);
  return summary;
}

std::string_view name_of(LastTask task) { return task == LastTask::gemm ? "gemm" : "comm"; }

}  // namespace conccl::bench
