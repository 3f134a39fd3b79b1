// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What the contention model costs: the whole study of the 8x MI300X, and one simulation against
// ranks and steps. `simulate` leaves out making the plan, `predict` is plan and simulation.

#include <benchmark/benchmark.h>

#include <array>

#include "conccl/c3/model/fit.hpp"
#include "conccl/c3/suite.hpp"

namespace {

using namespace conccl;

/// 30 scenarios under all strategies, budgets swept.
void study(benchmark::State& state) {
  const Machine machine = c3::load_known_machine("mi300x");
  const c3::Suite suite = c3::load_suite("llama");
  std::size_t predictions = 0;
  for (auto _ : state) {
    predictions = c3::predict_suite(machine, suite, c3::strategies()).size();
    benchmark::DoNotOptimize(predictions);
  }
  state.counters["predictions"] = static_cast<double>(predictions);
}

void fit(benchmark::State& state) {
  const Machine machine = c3::load_known_machine("mi300x");
  const c3::Suite suite = c3::load_suite("llama");
  for (auto _ : state) {
    benchmark::DoNotOptimize(c3::fit_model(machine, suite, c3::paper_targets()));
  }
}

plan::Plan plan_of(const Machine& machine, std::string_view strategy, int ranks) {
  const plan::Request request{plan::Collective::all_gather, ranks, kMiB, plan::Placement::in_place};
  return c3::c3_plan(
      {c3::find_strategy(strategy), request, c3::device_shape(machine), 0, plan::Direction::push});
}

void simulate(benchmark::State& state, std::string_view strategy, c3::Symmetry symmetry) {
  const Machine machine = c3::load_known_machine("mi300x");
  const plan::Plan plan = plan_of(machine, strategy, static_cast<int>(state.range(0)));
  const std::array tasks{c3::gemm_cost(machine, {{8192, 8192, 8192}})};
  for (auto _ : state) {
    benchmark::DoNotOptimize(c3::simulated_time(machine, plan, tasks, symmetry));
  }
  const auto steps = static_cast<double>(step_count(plan));
  state.counters["steps"] = steps;
  state.counters["s_per_step"] = benchmark::Counter(
      steps, static_cast<benchmark::Counter::Flags>(benchmark::Counter::kIsIterationInvariantRate |
                                                    benchmark::Counter::kInvert));
}

BENCHMARK(study)->Unit(benchmark::kMillisecond);
BENCHMARK(fit)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate, conccl, "conccl", c3::Symmetry::used)
    ->RangeMultiplier(2)
    ->Range(8, 1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate, c3_base, "c3_base", c3::Symmetry::used)
    ->RangeMultiplier(2)
    ->Range(8, 1024)
    ->Unit(benchmark::kMillisecond);
// Every rank on its own, as for ranks that differ.
BENCHMARK_CAPTURE(simulate, conccl_each_rank, "conccl", c3::Symmetry::ignored)
    ->RangeMultiplier(2)
    ->Range(8, 128)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate, c3_base_each_rank, "c3_base", c3::Symmetry::ignored)
    ->RangeMultiplier(2)
    ->Range(8, 128)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
