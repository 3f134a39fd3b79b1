// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/model/theory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

void expect_same_resources(const Task& a, const Task& b) {
  ensure_equal(a.shares.size(), b.shares.size(), "resources of two tasks");
}

double worse(std::span<const double> gemm, std::span<const double> comm, std::size_t at) {
  return std::max(gemm[at], comm[at]);
}

std::size_t best_of_all(std::span<const double> gemm, std::span<const double> comm) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < gemm.size(); ++i) {
    if (worse(gemm, comm, i) < worse(gemm, comm, best)) best = i;
  }
  return best;
}

/// The first index with `times[index] <= value`, where times never rise.
std::size_t first_at_most(std::span<const double> times, double value) {
  const auto found = std::lower_bound(times.begin(), times.end(), value, std::greater<>());
  return static_cast<std::size_t>(found - times.begin());
}

/// The first split at which the GEMM takes no less than the collective, or the number of splits.
std::size_t crossing(std::span<const double> gemm, std::span<const double> comm) {
  std::size_t low = 0;
  std::size_t high = gemm.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (gemm[middle] >= comm[middle]) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

double lower_bound(std::span<const Task> tasks) {
  double bound = 0;
  std::vector<double> busy;
  for (const Task& task : tasks) {
    expect_same_resources(task, tasks.front());
    busy.resize(task.shares.size(), 0);
    bound = std::max(bound, task.alone_ns);
    for (std::size_t r = 0; r < busy.size(); ++r) busy[r] += task.shares[r] * task.alone_ns;
  }
  for (const double time : busy) bound = std::max(bound, time);
  return bound;
}

double upper_bound(std::span<const Task> tasks) {
  return std::accumulate(tasks.begin(), tasks.end(), 0.0,
                         [](double sum, const Task& task) { return sum + task.alone_ns; });
}

double fair_rate(const Task& a, const Task& b) {
  expect_same_resources(a, b);
  double most = 1;
  for (std::size_t r = 0; r < a.shares.size(); ++r)
    most = std::max(most, a.shares[r] + b.shares[r]);
  return 1 / most;
}

double fair_time(const Task& a, const Task& b) {
  const double longer = std::max(a.alone_ns, b.alone_ns);
  const double shorter = std::min(a.alone_ns, b.alone_ns);
  return longer + shorter * (1 / fair_rate(a, b) - 1);
}

double energy_bound(std::span<const double> energies, double cap_w) {
  ensure(cap_w > 0, "a cap on power is over zero");
  return std::accumulate(energies.begin(), energies.end(), 0.0) / cap_w;
}

std::size_t best_split(std::span<const double> gemm, std::span<const double> comm) {
  if (gemm.empty() || gemm.size() != comm.size()) {
    throw InputError(
        fmt::format("splits: {} times of the GEMM, {} of the collective; expected the "
                    "same number, at least 1",
                    gemm.size(), comm.size()));
  }
  const bool monotone = std::is_sorted(gemm.begin(), gemm.end()) &&
                        std::is_sorted(comm.begin(), comm.end(), std::greater<>());
  if (!monotone) return best_of_all(gemm, comm);
  const std::size_t cross = crossing(gemm, comm);
  if (cross == 0) return 0;
  // Before the crossing the collective decides; of equal times the first split is wanted.
  const std::size_t before = first_at_most(comm, comm[cross - 1]);
  if (cross == gemm.size()) return before;
  return gemm[cross] < comm[cross - 1] ? cross : before;
}

}  // namespace conccl::c3
