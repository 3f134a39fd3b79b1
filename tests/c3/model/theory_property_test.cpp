// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// The statements of docs/model.md, held against the simulator and against brute force.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "tests/c3/model/support.hpp"

namespace conccl::c3 {
namespace {

/// Every event ends on a whole nanosecond, so each may come one late.
double rounding(std::size_t tasks) { return static_cast<double>(tasks) + 1e-6; }

std::vector<Task> any_tasks() {
  std::vector<Task> tasks;
  const int count = *rc::gen::inRange(1, 7);
  for (int i = 0; i < count; ++i) tasks.push_back(any_task());
  return tasks;
}

RC_GTEST_PROP(Theory, NoScheduleBeatsTheLowerBound, ()) {
  const Machine machine = plain_machine();
  for (int i = 0; i < kCasesPerRun; ++i) {
    const auto tasks = any_tasks();
    RC_ASSERT(together_ns(machine, tasks) >= lower_bound(tasks) * (1 - 1e-9));
  }
}

RC_GTEST_PROP(Theory, SharingNeverTakesLongerThanOneAfterTheOther, ()) {
  const Machine machine = plain_machine();
  for (int i = 0; i < kCasesPerRun; ++i) {
    const auto tasks = any_tasks();
    RC_ASSERT(together_ns(machine, tasks) <= upper_bound(tasks) + rounding(tasks.size()));
  }
}

RC_GTEST_PROP(Theory, TwoTasksTakeWhatTheClosedFormSays, ()) {
  const Machine machine = plain_machine();
  for (int i = 0; i < kCasesPerRun; ++i) {
    const std::vector<Task> tasks{any_task(), any_task()};
    const double expected = fair_time(tasks[0], tasks[1]);
    const double found = together_ns(machine, tasks);
    RC_ASSERT(found >= expected * (1 - 1e-9));
    RC_ASSERT(found <= expected + rounding(2));
  }
}

/// Rates in proportion to the lengths attain the lower bound: they fit every resource.
RC_GTEST_PROP(Theory, TheLowerBoundIsAttained, ()) {
  for (int i = 0; i < kCasesPerRun; ++i) {
    const auto tasks = any_tasks();
    const double bound = lower_bound(tasks);
    for (std::size_t r = 0; r < 2; ++r) {
      double used = 0;
      for (const Task& task : tasks) {
        RC_ASSERT(task.alone_ns / bound <= 1 + 1e-12);
        used += task.shares[r] * task.alone_ns / bound;
      }
      RC_ASSERT(used <= 1 + 1e-9);
    }
  }
}

/// What fairness costs against the best is at most the shorter task, and nothing where the two
/// together ask no resource for more than it has.
RC_GTEST_PROP(Theory, FairnessCostsAtMostTheShorterTask, ()) {
  for (int i = 0; i < kCasesPerRun; ++i) {
    const std::vector<Task> tasks{any_task(), any_task()};
    const double shorter = std::min(tasks[0].alone_ns, tasks[1].alone_ns);
    const double loss = fair_time(tasks[0], tasks[1]) - lower_bound(tasks);
    RC_ASSERT(loss >= -1e-6);
    RC_ASSERT(loss <= shorter * (1 / fair_rate(tasks[0], tasks[1]) - 1) + 1e-6);
  }
}

RC_GTEST_PROP(Theory, PercentOfIdealFollowsFromTheSharesAndTheLengths, ()) {
  for (int i = 0; i < kCasesPerRun; ++i) {
    const Task a = any_task();
    const Task b = any_task();
    const double excess = 1 / fair_rate(a, b) - 1;
    const double ratio = std::min(a.alone_ns, b.alone_ns) / std::max(a.alone_ns, b.alone_ns);
    const auto percent = percent_of_ideal({a.alone_ns, b.alone_ns, fair_time(a, b)});
    if (!percent) continue;
    RC_ASSERT(std::abs(*percent - 100 * (1 - excess) / (1 + ratio * excess)) < 1e-6);
  }
}

/// Times per split.
std::vector<double> any_times(std::size_t count, int distinct) {
  std::vector<double> times;
  for (std::size_t i = 0; i < count; ++i) times.push_back(*rc::gen::inRange(1, distinct));
  return times;
}

std::size_t by_brute_force(const std::vector<double>& gemm, const std::vector<double>& comm) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < gemm.size(); ++i) {
    if (std::max(gemm[i], comm[i]) < std::max(gemm[best], comm[best])) best = i;
  }
  return best;
}

RC_GTEST_PROP(Theory, TheBestSplitOfMonotoneTimesIsWhatBruteForceFinds, ()) {
  for (int i = 0; i < kCasesPerRun; ++i) {
    const auto count = static_cast<std::size_t>(*rc::gen::inRange(1, 40));
    auto gemm = any_times(count, 30);
    auto comm = any_times(count, 30);
    std::sort(gemm.begin(), gemm.end());
    std::sort(comm.rbegin(), comm.rend());
    RC_ASSERT(best_split(gemm, comm) == by_brute_force(gemm, comm));
  }
}

RC_GTEST_PROP(Theory, TheBestSplitOfAnyTimesIsWhatBruteForceFinds, ()) {
  for (int i = 0; i < kCasesPerRun; ++i) {
    const auto count = static_cast<std::size_t>(*rc::gen::inRange(1, 20));
    const auto gemm = any_times(count, 30);
    const auto comm = any_times(count, 30);
    RC_ASSERT(best_split(gemm, comm) == by_brute_force(gemm, comm));
  }
}

/// Falls, then rises; each may be level in places.
bool is_weakly_unimodal(const std::vector<double>& values) {
  const auto least = std::min_element(values.begin(), values.end());
  return std::is_sorted(values.begin(), least + 1, std::greater<>()) &&
         std::is_sorted(least, values.end());
}

RC_GTEST_PROP(Theory, MonotoneTimesMakeAWeaklyUnimodalWorst, ()) {
  for (int i = 0; i < kCasesPerRun; ++i) {
    auto gemm = any_times(20, 50);
    auto comm = any_times(20, 50);
    std::sort(gemm.begin(), gemm.end());
    std::sort(comm.rbegin(), comm.rend());
    std::vector<double> worst;
    for (std::size_t k = 0; k < 20; ++k) worst.push_back(std::max(gemm[k], comm[k]));
    RC_ASSERT(is_weakly_unimodal(worst));
  }
}

TEST(BestSplit, RefusesListsThatDoNotMatch) {
  const std::vector<double> one{1};
  EXPECT_THROW((void)best_split(one, {}), InputError);
  EXPECT_THROW((void)best_split({}, {}), InputError);
}

TEST(EnergyBound, DividesAllEnergyByTheCap) {
  const std::vector<double> energies{300, 100};
  EXPECT_EQ(energy_bound(energies, 200), 2);
}

}  // namespace
}  // namespace conccl::c3
