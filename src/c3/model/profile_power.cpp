// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "c3/model/profile_parts.hpp"
#include "c3/roofline_terms.hpp"

namespace conccl::c3 {
namespace {

constexpr double kMostThrottled = 3;
/// What the limit must explain of the mean error: noise is none.
constexpr double kLeastExplained = 0.003;
/// The ends of the ramp are multiples of one over this.
constexpr int kParts = 40;

/// How much longer a GEMM took where GEMMs ran in such a part of the time.
struct Throttled {
  GemmSpec gemm;
  double share = 0;
  double longer = 1;
};

/// Of GEMMs that are bound by compute and were also timed at rest.
std::vector<Throttled> throttled_times(const Fit& fit) {
  std::vector<Throttled> found;
  const auto gemms = gemm_times(fit.samples);
  for (const Sample& sample : fit.samples) {
    const bool alone = sample.kind == Sample::Kind::gemm && sample.budget == 0;
    if (!alone || sample.how == kRested) continue;
    for (const GemmTimes& gemm : gemms) {
      if (gemm.gemm != sample.gemm || !gemm.rested) continue;
      if (bound_of(fit.machine, gemm.gemm) != GemmBound::compute) continue;
      found.push_back({gemm.gemm, sample.gemm_share, sample.ms.median / *gemm.rested});
    }
  }
  return found;
}

double error_of(const Machine& machine, const std::vector<Throttled>& times) {
  double sum = 0;
  for (const Throttled& time : times) {
    sum += std::abs(std::log(throttling(machine, time.gemm, time.share) / time.longer));
  }
  return sum / static_cast<double>(times.size());
}

}  // namespace

void fit_power(Fit& fit) {
  const auto times = throttled_times(fit);
  if (times.empty()) return;
  PowerFacts& power = fit.machine.model.power;
  PowerFacts best;
  double least = std::numeric_limits<double>::infinity();
  for (int from = 1; from < kParts; ++from) {
    for (int to = from + 1; to <= kParts; ++to) {
      power.throttled = 1;
      power.throttled_from = static_cast<double>(from) / kParts;
      power.throttled_to = static_cast<double>(to) / kParts;
      const std::array factor{Searched{&power.throttled, 1, kMostThrottled}};
      search(factor, [&] { return error_of(fit.machine, times); }, 1);
      const double error = error_of(fit.machine, times);
      if (!(error < least)) continue;
      least = error;
      best = power;
    }
  }
  power = {};
  if (!(least + kLeastExplained < error_of(fit.machine, times))) return;
  power = best;
  const std::string how =
      fmt::format("least mean error over {} times of GEMMs that were also timed at rest: {:.1f} %",
                  times.size(), 100 * least);
  for (const char* field :
       {"model.power.throttled", "model.power.throttled_from", "model.power.throttled_to"}) {
    fit.cite(field, how);
  }
}

}  // namespace conccl::c3
