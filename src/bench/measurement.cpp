// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/measurement.hpp"

#include <algorithm>
#include <numeric>

namespace conccl::bench {

void measure_rounds(Workload& workload, std::vector<Measurement>& measurements,
                    const RoundOptions& options, std::mt19937_64& random,
                    const std::function<void()>& after_round) {
  std::vector<std::size_t> order(measurements.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (int round = -options.warmup; round < options.rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t index : order) {
      Measurement& entry = measurements[index];
      const Nanoseconds time =
          round < 0 ? workload.run_unchecked(entry.configuration)
                    : workload.run_checked(entry.configuration, entry.parts, entry.counts);
      if (round >= 0) entry.times_ms.push_back(to_ms(time));
    }
    after_round();
  }
}

}  // namespace conccl::bench
