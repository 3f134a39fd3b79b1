// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/against_ideal.hpp"

#include <vector>

namespace conccl::bench {

double median_of(std::span<const double> values, std::span<const std::size_t> rounds) {
  std::vector<double> drawn;
  drawn.reserve(rounds.size());
  for (const std::size_t round : rounds) drawn.push_back(values[round]);
  return median(drawn);
}

AgainstIdeal against_ideal(const PairedTimes& times) {
  const c3::C3Times medians{median(times.gemm_ms), median(times.comm_ms), median(times.c3_ms)};
  AgainstIdeal result;
  result.t_comm_ms = medians.t_comm_ms;
  result.speedup = c3::speedup(medians);
  result.ideal = c3::ideal_speedup(medians);
  result.percent = c3::percent_of_ideal(medians);
  if (!result.percent) return result;
  // A resample may fall under the least ideal; its percentage is then taken all the same.
  const auto percent = [&times](std::span<const std::size_t> rounds) {
    const c3::C3Times drawn{median_of(times.gemm_ms, rounds), median_of(times.comm_ms, rounds),
                            median_of(times.c3_ms, rounds)};
    return 100 * (c3::speedup(drawn) - 1) / (c3::ideal_speedup(drawn) - 1);
  };
  BootstrapOptions options;
  options.seed = times.seed;
  result.interval = bootstrap(times.c3_ms.size(), percent, options);
  return result;
}

}  // namespace conccl::bench
