// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Time to build and to verify direct plans of 8 to 1,024 ranks. Counters: steps of the plan, time
// per step, and the peak resident memory of the process so far (it only grows: the argument order
// goes from small plans to large ones).

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdint>

#include "conccl/plan/build.hpp"
#include "conccl/plan/verify.hpp"

namespace {

using conccl::plan::Collective;
using conccl::plan::Form;

conccl::plan::Method method_of(Form form) {
  conccl::plan::Method method;
  method.form = form;
  method.engines = 14;
  return method;
}

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024.0;
}

void count(benchmark::State& state, std::size_t steps) {
  using benchmark::Counter;
  state.counters["steps"] = static_cast<double>(steps);
  state.counters["s_per_step"] =
      Counter(static_cast<double>(steps),
              static_cast<Counter::Flags>(Counter::kIsIterationInvariantRate | Counter::kInvert));
  state.counters["peak_rss"] = Counter(peak_bytes(), Counter::kDefaults, Counter::kIs1024);
}

void build(benchmark::State& state, Collective collective, Form form) {
  const conccl::plan::Request request{collective, static_cast<int>(state.range(0)), conccl::kMiB};
  std::size_t steps = 0;
  for (auto _ : state) {
    const auto plan = conccl::plan::build(request, method_of(form));
    steps = step_count(plan);
    benchmark::DoNotOptimize(steps);
  }
  count(state, steps);
}

void verify(benchmark::State& state, Collective collective, Form form) {
  const conccl::plan::Request request{collective, static_cast<int>(state.range(0)), conccl::kMiB};
  const auto plan = conccl::plan::build(request, method_of(form));
  for (auto _ : state) {
    const auto verdict = conccl::plan::verify(plan);
    if (!verdict.accepted()) {
      state.SkipWithError(verdict.complaints.front().text.c_str());
      break;
    }
  }
  count(state, step_count(plan));
}

/// The user's case: both collectives built and verified, one after the other.
void both(benchmark::State& state, Form form) {
  std::size_t steps = 0;
  for (auto _ : state) {
    steps = 0;
    for (const auto collective : conccl::plan::all_collectives()) {
      const conccl::plan::Request request{collective, static_cast<int>(state.range(0)),
                                          conccl::kMiB};
      const auto plan = conccl::plan::build(request, method_of(form));
      steps += step_count(plan);
      if (!conccl::plan::verify(plan).accepted()) state.SkipWithError("a direct plan is refused");
    }
  }
  count(state, steps);
}

void ranks(benchmark::internal::Benchmark* benchmark) {
  benchmark->RangeMultiplier(2)->Range(8, 1024)->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(build, all_gather_dma, Collective::all_gather, Form::dma)->Apply(ranks);
BENCHMARK_CAPTURE(verify, all_gather_dma, Collective::all_gather, Form::dma)->Apply(ranks);
BENCHMARK_CAPTURE(verify, all_gather_compute, Collective::all_gather, Form::compute)->Apply(ranks);
BENCHMARK_CAPTURE(build, all_to_all_dma, Collective::all_to_all, Form::dma)->Apply(ranks);
BENCHMARK_CAPTURE(verify, all_to_all_dma, Collective::all_to_all, Form::dma)->Apply(ranks);
BENCHMARK_CAPTURE(verify, all_to_all_compute, Collective::all_to_all, Form::compute)->Apply(ranks);
BENCHMARK_CAPTURE(both, dma, Form::dma)->Apply(ranks);
BENCHMARK_CAPTURE(both, compute, Form::compute)->Apply(ranks);

}  // namespace

BENCHMARK_MAIN();
