// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "c3/model/samples.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace conccl::c3 {
namespace {

template <typename Key>
std::map<Key, double> medians(const std::map<Key, std::vector<double>>& lists) {
  std::map<Key, double> found;
  for (const auto& [key, list] : lists) found[key] = median(list);
  return found;
}

/// Of a GEMM alone, on the whole device, in rounds.
bool is_whole(const Sample& sample) {
  return sample.kind == Sample::Kind::gemm && sample.how.empty() && sample.budget == 0;
}

Summary spread_of(std::span<const Sample> samples, const GemmSpec& gemm) {
  Summary spread;
  for (const Sample& sample : samples) {
    if (!is_whole(sample) || sample.gemm != gemm) continue;
    spread.min = spread.n == 0 ? sample.ms.min : std::min(spread.min, sample.ms.min);
    spread.max = std::max(spread.max, sample.ms.max);
    spread.n += sample.ms.n;
  }
  return spread;
}

/// Sets one figure; `error` is of the whole.
void search_one(const Searched& searched, const std::function<double()>& error) {
  constexpr int kGrid = 12;
  constexpr int kSteps = 12;
  constexpr double kGolden = 0.6180339887498949;
  double best = *searched.figure;
  double least = error();
  const auto at = [&](double value) {
    *searched.figure = value;
    const double found = error();
    if (found < least) {
      least = found;
      best = value;
    }
    return found;
  };
  const double step = (searched.high - searched.low) / kGrid;
  for (int i = 0; i <= kGrid; ++i) at(searched.low + i * step);
  double low = std::max(searched.low, best - step);
  double high = std::min(searched.high, best + step);
  for (int i = 0; i < kSteps; ++i) {
    const double reach = kGolden * (high - low);
    if (at(high - reach) < at(low + reach)) {
      high = low + reach;
    } else {
      low = high - reach;
    }
  }
  *searched.figure = std::clamp(rounded(best), searched.low, searched.high);
}

}  // namespace

std::vector<GemmTimes> gemm_times(std::span<const Sample> samples) {
  std::vector<GemmSpec> order;
  std::map<GemmSpec, std::map<int, std::vector<double>>> lists;
  std::map<GemmSpec, std::vector<double>> rested;
  for (const Sample& sample : samples) {
    if (sample.kind != Sample::Kind::gemm) continue;
    if (sample.how == kRested) rested[sample.gemm].push_back(sample.ms.median);
    if (!sample.how.empty()) continue;
    if (!lists.contains(sample.gemm)) order.push_back(sample.gemm);
    lists[sample.gemm][sample.budget].push_back(sample.ms.median);
  }
  std::vector<GemmTimes> found;
  for (const GemmSpec& gemm : order) {
    if (!lists[gemm].contains(0)) continue;
    found.push_back({gemm, medians(lists[gemm]), spread_of(samples, gemm), std::nullopt});
    if (rested.contains(gemm)) found.back().rested = median(rested[gemm]);
  }
  return found;
}

bool is_of(const Sample& sample, const CarriedBy& which) {
  return sample.kind == Sample::Kind::collective && sample.collective == which.collective &&
         sample.how == which.how && sample.budget == which.budget;
}

std::map<Bytes, double> collective_times(std::span<const Sample> samples, const CarriedBy& which) {
  std::map<Bytes, std::vector<double>> lists;
  for (const Sample& sample : samples) {
    if (is_of(sample, which)) lists[sample.bytes].push_back(sample.ms.median);
  }
  return medians(lists);
}

std::vector<int> kernel_limits(std::span<const Sample> samples, plan::Collective collective) {
  std::set<int> limits;
  for (const Sample& sample : samples) {
    if (sample.budget > 0 && is_of(sample, {collective, kOnKernels, sample.budget})) {
      limits.insert(sample.budget);
    }
  }
  return {limits.begin(), limits.end()};
}

double rounded(double value, int digits) {
  if (!(value > 0)) return value;
  const double unit = std::pow(10, std::floor(std::log10(value)) - digits + 1);
  // Dividing by the reciprocal's power keeps short decimals short.
  return unit < 1 ? std::round(value * std::round(1 / unit)) / std::round(1 / unit)
                  : std::round(value / unit) * unit;
}

void search(std::span<const Searched> figures, const std::function<double()>& error, int passes) {
  for (int pass = 0; pass < passes; ++pass) {
    for (const Searched& figure : figures) search_one(figure, error);
  }
}

}  // namespace conccl::c3
