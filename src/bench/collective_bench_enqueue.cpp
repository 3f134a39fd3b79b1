// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/collective_bench_enqueue.hpp"

#include <algorithm>
#include <ctime>

#include "conccl/core/errors.hpp"
#include "conccl/core/statistics.hpp"

namespace conccl::bench {
namespace {

constexpr int kCallsInABurst = 16;
constexpr int kBursts = 41;
constexpr int kWarmBursts = 4;

/// Of one call.
struct Cost {
  double cpu_us = 0;
  double wall_us = 0;
};

Microseconds thread_time() {
  timespec time{};
  ensure(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0, "a thread has a clock");
  return std::chrono::seconds(time.tv_sec) + Nanoseconds(time.tv_nsec);
}

Cost burst(const Ranks& ranks, Call& call) {
  const auto start = std::chrono::steady_clock::now();
  const Microseconds cpu_start = thread_time();
  for (int i = 0; i < kCallsInABurst; ++i) call.enqueue();
  const Microseconds cpu = thread_time() - cpu_start;
  const Microseconds wall = std::chrono::steady_clock::now() - start;
  const double calls = kCallsInABurst * static_cast<double>(ranks.local_count());
  call.synchronize();
  return {cpu.count() / calls, wall.count() / calls};
}

Cost slowest(const std::vector<Cost>& costs) {
  Cost worst;
  for (const Cost& cost : costs) {
    worst.cpu_us = std::max(worst.cpu_us, cost.cpu_us);
    worst.wall_us = std::max(worst.wall_us, cost.wall_us);
  }
  return worst;
}

}  // namespace

EnqueueCost enqueue_cost(Ranks& ranks, CallTimer& timer, Call& call) {
  std::vector<double> cpu;
  std::vector<double> wall;
  for (int i = 0; i < kWarmBursts + kBursts; ++i) {
    timer.meet();
    const Cost cost = slowest(ranks.gather(std::vector(ranks.local_count(), burst(ranks, call))));
    if (i < kWarmBursts) continue;
    cpu.push_back(cost.cpu_us);
    wall.push_back(cost.wall_us);
  }
  return {{}, {}, summarize(cpu), summarize(wall)};
}

}  // namespace conccl::bench
