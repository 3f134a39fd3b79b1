// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/bench/collective_bench.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conccl/backend/registry.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

using plan::Collective;
using plan::Placement;
using testing::HasSubstr;

class CollectiveBench : public testing::Test {
 protected:
  static void SetUpTestSuite() { host_ = backend::open("host").release(); }
  static void TearDownTestSuite() {
    delete host_;
    host_ = nullptr;
  }

  static CollectiveBenchOptions small() {
    CollectiveBenchOptions options;
    options.min_bytes = 1 * kKiB;
    options.max_bytes = 8 * kKiB;
    options.iterations = 3;
    options.rounds = 2;
    options.warmup = 1;
    options.checks = 2;
    return options;
  }
  static BenchRun run_of(const CollectiveBenchOptions& options) {
    BenchRun run;
    run_collective_bench(*host_, options, {}, run);
    return run;
  }
  static std::vector<BenchLine> run(const CollectiveBenchOptions& options) {
    return run_of(options).lines;
  }
  static const BenchResult* side(const BenchLine& line, Placement placement) {
    return line.find(kOwnLibrary, CallMethod::stream, placement);
  }
  static std::vector<Bytes> sizes(const CollectiveBenchOptions& options) {
    std::vector<Bytes> list;
    for (const auto& line : run(options)) list.push_back(line.bytes);
    return list;
  }

  static backend::Backend* host_;
};

backend::Backend* CollectiveBench::host_ = nullptr;

TEST_F(CollectiveBench, MultipliesSizes) {
  auto options = small();
  EXPECT_THAT(sizes(options), testing::ElementsAre(1024, 2048, 4096, 8192));
  options.factor = 3;
  EXPECT_THAT(sizes(options), testing::ElementsAre(1024, 3072));
}

TEST_F(CollectiveBench, AddsToSizes) {
  auto options = small();
  options.factor = 0;
  options.step_bytes = 3 * kKiB;
  EXPECT_THAT(sizes(options), testing::ElementsAre(1024, 4096, 7168));
}

TEST_F(CollectiveBench, RoundsDownToWholeElementsPerRank) {
  auto options = small();
  options.ranks = 3;
  options.type = DataType::float64;
  options.max_bytes = options.min_bytes;
  const auto lines = run(options);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].count, 42u);
  EXPECT_EQ(lines[0].bytes, 42u * 8 * 3);
}

TEST_F(CollectiveBench, ChecksBothSidesAndFindsNothing) {
  const auto options = small();
  for (const auto& line : run(options)) {
    ASSERT_EQ(line.results.size(), 2U);
    for (const auto& result : line.results) {
      EXPECT_EQ(result.wrong, 0u);
      EXPECT_EQ(result.host_us.n, 2U);
      EXPECT_GT(result.time_us().min, 0);
      const double algbw = algbw_gbps(line, result);
      EXPECT_NEAR(algbw, static_cast<double>(line.bytes) / result.time_us().median / 1e3, 1e-9);
      EXPECT_NEAR(busbw_gbps(line, result, options.ranks), algbw * 0.75, 1e-12);
    }
  }
}

TEST_F(CollectiveBench, AllToAllHasNoInPlaceSide) {
  auto options = small();
  options.collective = Collective::all_to_all;
  for (const auto& line : run(options)) {
    EXPECT_EQ(side(line, Placement::in_place), nullptr);
    EXPECT_EQ(side(line, Placement::out_of_place)->wrong, 0u);
  }
}

TEST_F(CollectiveBench, EveryPolicyAndDirectionIsRight) {
  for (const auto policy : {comm::Policy::dma, comm::Policy::compute}) {
    for (const auto direction : {plan::Direction::push, plan::Direction::pull}) {
      auto options = small();
      options.policy = policy;
      options.direction = direction;
      for (const auto& line : run(options)) EXPECT_EQ(line.results.back().wrong, 0u);
    }
  }
}

TEST_F(CollectiveBench, EveryMethodRunsBesideBareCopies) {
  for (const auto collective : plan::all_collectives()) {
    for (const auto direction : {plan::Direction::push, plan::Direction::pull}) {
      auto options = small();
      options.collective = collective;
      options.direction = direction;
      options.ranks = 3;
      options.methods = {CallMethod::host, CallMethod::stream};
      options.copies = Wanted::yes;
      const auto done = run_of(options);
      EXPECT_THAT(done.libraries, testing::ElementsAre(kOwnLibrary, kBareCopies));
      for (const auto& line : done.lines) {
        EXPECT_EQ(line.results.size(), collective == Collective::all_gather ? 8U : 4U);
        for (const auto& result : line.results) {
          EXPECT_EQ(result.wrong, 0u) << result.library;
          EXPECT_EQ(result.device_us.has_value(), result.method == CallMethod::stream);
        }
      }
    }
  }
}

TEST_F(CollectiveBench, TheStreamsClockSeesNoMoreThanTheHosts) {
  for (const auto& line : run(small())) {
    for (const auto& result : line.results) {
      EXPECT_LE(result.device_us->median, result.host_us.median);
    }
  }
}

TEST_F(CollectiveBench, GraphsNeedABackendThatHasThem) {
  auto options = small();
  options.methods = {CallMethod::stream, CallMethod::graph};
  BenchRun run;
  try {
    run_collective_bench(*host_, options, {}, run);
    FAIL() << "the host backend has graphs";
  } catch (const Unavailable& error) {
    EXPECT_THAT(error.what(), HasSubstr("the host backend has no graphs"));
  }
}

TEST_F(CollectiveBench, SaysWhyThereAreNoPeers) {
  auto options = small();
  options.peers = {"nccl_ce"};
  const auto done = run_of(options);
  EXPECT_THAT(done.libraries, testing::ElementsAre(kOwnLibrary));
  ASSERT_EQ(done.peers.size(), 2U);
  EXPECT_EQ(done.peers[0].reason, "not asked for");
  EXPECT_THAT(done.peers[1].reason, HasSubstr("not on the host backend"));
  EXPECT_THAT(bench_head(options, done), HasSubstr("# nccl_ce is left out: runs on CUDA streams"));
}

TEST_F(CollectiveBench, TellsWhatItCostsToEnqueue) {
  auto options = small();
  options.max_bytes = options.min_bytes;
  options.enqueue = Wanted::yes;
  const auto done = run_of(options);
  ASSERT_EQ(done.enqueue.size(), 2U);
  EXPECT_EQ(done.enqueue[0].buffers, "window");
  EXPECT_EQ(done.enqueue[1].buffers, "ordinary");
  for (const auto& cost : done.enqueue) {
    EXPECT_EQ(cost.library, kOwnLibrary);
    EXPECT_GT(cost.cpu_us.median, 0);
    EXPECT_GE(cost.wall_us.max, cost.cpu_us.min);
    EXPECT_GT(cost.cpu_us.n, 30U);
  }
}

TEST_F(CollectiveBench, Edges) {
  auto options = small();
  options.ranks = 1;
  options.copies = Wanted::yes;
  const auto alone = run(options);
  EXPECT_EQ(busbw_gbps(alone[0], alone[0].results[0], options.ranks), 0);
  options = small();
  options.min_bytes = options.max_bytes = 1;
  options.copies = Wanted::yes;
  options.enqueue = Wanted::yes;
  const auto lines = run(options);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].count, 0u);
  for (const auto& result : lines[0].results) EXPECT_EQ(result.wrong, 0u);
}

TEST_F(CollectiveBench, WithoutChecksSaysNothingOfThem) {
  auto options = small();
  options.checks = 0;
  const auto done = run_of(options);
  EXPECT_FALSE(done.lines[0].results[0].wrong.has_value());
  EXPECT_THAT(bench_foot(options, done), HasSubstr("not checked"));
}

TEST_F(CollectiveBench, HandsOutLinesAsTheyCome) {
  std::vector<std::size_t> seen;
  BenchHooks hooks;
  hooks.started = [&](const BenchRun& run) { seen.push_back(run.lines.size()); };
  hooks.line_done = hooks.started;
  BenchRun run;
  run_collective_bench(*host_, small(), hooks, run);
  EXPECT_THAT(seen, testing::ElementsAre(0, 1, 2, 3, 4));
  EXPECT_FALSE(run.partial);
}

TEST_F(CollectiveBench, StopsWhenInterrupted) {
  std::atomic<bool> interrupt{false};
  BenchHooks hooks;
  hooks.interrupt = &interrupt;
  hooks.line_done = [&](const BenchRun& run) { interrupt = run.lines.size() == 2; };
  BenchRun run;
  EXPECT_THROW(run_collective_bench(*host_, small(), hooks, run), Interrupted);
  EXPECT_EQ(run.lines.size(), 2U);
  EXPECT_TRUE(run.partial);
}

TEST_F(CollectiveBench, RefusesWhatMakesNoSense) {
  const auto refused = [](auto change) {
    auto options = small();
    change(options);
    EXPECT_THROW(static_cast<void>(run(options)), InputError);
  };
  refused([](auto& o) { o.ranks = 0; });
  refused([](auto& o) { o.ranks = 1'000'000; });
  refused([](auto& o) { o.iterations = 0; });
  refused([](auto& o) { o.warmup = -1; });
  refused([](auto& o) { o.checks = -1; });
  refused([](auto& o) { o.factor = 1; });
  refused([](auto& o) { o.factor = 0; });
  refused([](auto& o) { o.min_bytes = 0; });
  refused([](auto& o) { o.max_bytes = o.min_bytes - 1; });
  refused([](auto& o) { o.rounds = 0; });
  refused([](auto& o) { o.methods.clear(); });
  refused([](auto& o) { o.methods = {CallMethod::host, CallMethod::host}; });
  refused([](auto& o) {
    o.methods = {CallMethod::graph};
    o.iterations = kMostCaptured + 1;
  });
  refused([](auto& o) { o.peers = {"rccl"}; });
}

TEST(CallMethods, HaveNames) {
  for (const auto method : {CallMethod::host, CallMethod::stream, CallMethod::graph}) {
    EXPECT_EQ(parse_call_method(name_of(method)), method);
  }
  EXPECT_THROW(static_cast<void>(parse_call_method("eager")), InputError);
}

}  // namespace
}  // namespace conccl::bench
