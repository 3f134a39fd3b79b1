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
  struct Lists {
    std::map<double, std::vector<double>> whole;  ///< by the part of the time: of the same rounds
    std::vector<double> all;
    std::vector<double> rested;
    std::map<int, std::vector<double>> slowdown;
  };
  std::vector<GemmSpec> order;
  std::map<GemmSpec, Lists> lists;
  for (const Sample& sample : samples) {
    if (!is_whole(sample)) continue;
    if (!lists.contains(sample.gemm)) order.push_back(sample.gemm);
    lists[sample.gemm].whole[sample.gemm_share].push_back(sample.ms.median);
    lists[sample.gemm].all.push_back(sample.ms.median);
  }
  for (const Sample& sample : samples) {
    const auto known = lists.find(sample.gemm);
    if (sample.kind != Sample::Kind::gemm || known == lists.end()) continue;
    Lists& of = known->second;
    if (sample.how == kRested) of.rested.push_back(sample.ms.median);
    if (!sample.how.empty()) continue;
    const auto whole = of.whole.find(sample.gemm_share);
    if (whole == of.whole.end()) continue;
    of.slowdown[sample.budget].push_back(sample.ms.median / median(whole->second));
  }
  std::vector<GemmTimes> found;
  for (const GemmSpec& gemm : order) {
    const Lists& of = lists[gemm];
    found.push_back(
        {gemm, median(of.all), medians(of.slowdown), spread_of(samples, gemm), std::nullopt});
    if (!of.rested.empty()) found.back().rested = median(of.rested);
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
