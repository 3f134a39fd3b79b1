// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/measurement.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

namespace conccl::bench {

Seconds measure_rounds(Workload& workload, std::vector<Measurement>& measurements,
                       const RoundOptions& options, std::mt19937_64& random,
                       const std::function<void()>& after_round) {
  std::vector<std::size_t> order(measurements.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Seconds span{};
  for (int round = -options.warmup; round < options.rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t index : order) {
      Measurement& entry = measurements[index];
      const Nanoseconds time =
          round < 0 ? workload.run_unchecked(entry.configuration)
                    : workload.run_checked(entry.configuration, entry.parts, entry.counts);
      if (round >= 0) entry.times_ms.push_back(to_ms(time));
      std::this_thread::sleep_for(options.rest * time);
    }
    if (round >= 0) span += std::chrono::steady_clock::now() - start;
    after_round();
  }
  return span;
}

double gemm_share(std::span<const Measurement> measured, double gemm_ms, Seconds span) {
  std::size_t runs = 0;
  for (const Measurement& entry : measured) {
    if (entry.parts.has_gemm()) runs += entry.times_ms.size();
  }
  const Seconds busy = Milliseconds(static_cast<double>(runs) * gemm_ms);
  return span > busy ? busy / span : 1;
}

}  // namespace conccl::bench
