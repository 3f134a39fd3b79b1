// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What `conccl bench` says of runs that are made up.

#include <gtest/gtest.h>

#include "conccl/bench/collective_bench.hpp"
#include "tests/support/golden.hpp"

namespace conccl::bench {
namespace {

using plan::Placement;

BenchResult made_up(const char* library, Placement placement, double us) {
  BenchResult result;
  result.library = library;
  result.placement = placement;
  result.host_us = {us + 1, us, us + 3, 5};
  result.device_us = Summary{us, us - 1, us + 2, 5};
  result.wrong = 0;
  return result;
}

BenchRun made_up_run() {
  BenchLine small;
  small.bytes = 1024;
  small.count = 64;
  small.results = {made_up("conccl", Placement::out_of_place, 12.34),
                   made_up("conccl", Placement::in_place, 11.5)};
  small.results[1].wrong = 3;
  BenchLine large;
  large.bytes = 64 * kMiB;
  large.count = 4 * kMiB;
  large.results = {made_up("conccl", Placement::out_of_place, 9876.5)};
  large.results[0].wrong = std::nullopt;
  BenchRun run;
  run.machine = "host";
  run.emulation = run.partial = true;
  run.libraries = {"conccl"};
  run.lines = {small, large};
  return run;
}

/// Two sizes in place, `own` and `nccl` by size.
BenchRun compared_run(std::vector<double> own, std::vector<double> nccl) {
  BenchRun run;
  run.machine = "two GPUs";
  run.libraries = {"conccl", "nccl", "nccl_ce", "copy"};
  run.peers = {{"nccl", "2.28.9", {"kernels"}, {}}, {"nccl_ce", "2.28.9", {"copies"}, {}}};
  for (std::size_t i = 0; i < own.size(); ++i) {
    BenchLine line;
    line.bytes = kMiB << i;
    line.count = line.bytes / 8;
    line.results = {made_up("conccl", Placement::in_place, own[i]),
                    made_up("nccl", Placement::in_place, nccl[i]),
                    made_up("nccl_ce", Placement::in_place, own[i] + 2),
                    made_up("copy", Placement::in_place, own[i] * 0.75)};
    for (std::size_t library = 0; library < 4; ++library) {
      BenchResult host = line.results[library];
      host.method = CallMethod::host;
      host.device_us = std::nullopt;
      line.results.push_back(host);
    }
    run.lines.push_back(line);
  }
  run.enqueue = {{"conccl", "window", {3.25, 3, 4, 41}, {3.5, 3, 9, 41}}};
  return run;
}

std::optional<Bytes> crossover(std::vector<double> own, std::vector<double> nccl) {
  for (const auto& each : crossovers_of(compared_run(std::move(own), std::move(nccl)))) {
    if (each.library == "nccl" && each.method == CallMethod::stream) return each.from;
  }
  ADD_FAILURE() << "no crossover with nccl";
  return std::nullopt;
}

TEST(Crossovers, AreWhereOursStopsBeingSlowerForGood) {
  EXPECT_EQ(crossover({9, 8, 7}, {8, 9, 9}), 2 * kMiB);
  EXPECT_EQ(crossover({7, 8, 7}, {8, 8, 9}), 1 * kMiB);
  EXPECT_EQ(crossover({7, 9, 7}, {8, 8, 9}), 4 * kMiB);
  EXPECT_EQ(crossover({7, 7, 9}, {8, 8, 8}), std::nullopt);
}

TEST(Crossovers, AreNotWithBareCopies) {
  for (const auto& each : crossovers_of(compared_run({9}, {8}))) EXPECT_NE(each.library, "copy");
}

std::string table(const CollectiveBenchOptions& options, const BenchRun& run) {
  std::string text = bench_head(options, run);
  for (const auto& line : run.lines) text += bench_row(options, run, line);
  return text + bench_foot(options, run);
}

TEST(BenchText, IsAsTheGoldenFile) {
  EXPECT_GOLDEN("bench/collective.txt", table(CollectiveBenchOptions{}, made_up_run()));
}

TEST(BenchText, ComparisonIsAsTheGoldenFile) {
  CollectiveBenchOptions options;
  options.ranks = 2;
  options.methods = {CallMethod::stream, CallMethod::host};
  EXPECT_GOLDEN("bench/collective_compared.txt",
                table(options, compared_run({14.2, 1403.5}, {13.9, 1834})));
}

TEST(BenchJson, IsAsTheGoldenFile) {
  EXPECT_GOLDEN("bench/collective.json", bench_json(CollectiveBenchOptions{}, made_up_run()));
}

TEST(BenchJson, OfAComparisonIsAsTheGoldenFile) {
  EXPECT_GOLDEN("bench/collective_compared.json",
                bench_json(CollectiveBenchOptions{}, compared_run({14.2}, {13.9})));
}

}  // namespace
}  // namespace conccl::bench
