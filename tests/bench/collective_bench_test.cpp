// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/bench/collective_bench.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "conccl/backend/registry.hpp"
#include "conccl/core/errors.hpp"
#include "tests/support/golden.hpp"

namespace conccl::bench {
namespace {

using plan::Collective;

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
    options.warmup = 1;
    options.checks = 2;
    return options;
  }
  static std::vector<BenchLine> run(const CollectiveBenchOptions& options) {
    return run_collective_bench(*host_, options, {});
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
  const auto lines = run(small());
  for (const auto& line : lines) {
    EXPECT_EQ(line.out_of_place.wrong, 0u);
    ASSERT_TRUE(line.in_place.has_value());
    EXPECT_EQ(line.in_place->wrong, 0u);
    EXPECT_GT(line.out_of_place.time_us, 0);
    EXPECT_NEAR(line.out_of_place.algbw_gbps,
                static_cast<double>(line.bytes) / line.out_of_place.time_us / 1e3, 1e-9);
    EXPECT_NEAR(line.out_of_place.busbw_gbps, line.out_of_place.algbw_gbps * 0.75, 1e-12);
  }
}

TEST_F(CollectiveBench, AllToAllHasNoInPlaceSide) {
  auto options = small();
  options.collective = Collective::all_to_all;
  for (const auto& line : run(options)) {
    EXPECT_FALSE(line.in_place.has_value());
    EXPECT_EQ(line.out_of_place.wrong, 0u);
  }
}

TEST_F(CollectiveBench, EveryPolicyAndDirectionIsRight) {
  for (const auto policy : {comm::Policy::dma, comm::Policy::compute}) {
    for (const auto direction : {plan::Direction::push, plan::Direction::pull}) {
      auto options = small();
      options.policy = policy;
      options.direction = direction;
      for (const auto& line : run(options)) EXPECT_EQ(line.in_place->wrong, 0u);
    }
  }
}

TEST_F(CollectiveBench, Edges) {
  auto options = small();
  options.ranks = 1;
  EXPECT_EQ(run(options)[0].out_of_place.busbw_gbps, 0);
  options = small();
  options.min_bytes = options.max_bytes = 1;
  const auto lines = run(options);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].count, 0u);
  EXPECT_EQ(lines[0].out_of_place.wrong, 0u);
}

TEST_F(CollectiveBench, WithoutChecksSaysNothingOfThem) {
  auto options = small();
  options.checks = 0;
  const auto lines = run(options);
  EXPECT_FALSE(lines[0].out_of_place.wrong.has_value());
  EXPECT_THAT(bench_foot(lines), testing::HasSubstr("not checked"));
}

TEST_F(CollectiveBench, HandsOutLinesAsTheyCome) {
  std::vector<Bytes> seen;
  const auto lines =
      run_collective_bench(*host_, small(), [&](const BenchLine& l) { seen.push_back(l.bytes); });
  EXPECT_EQ(seen.size(), lines.size());
}

TEST_F(CollectiveBench, StopsWhenInterrupted) {
  std::atomic<bool> interrupt{false};
  int lines = 0;
  const auto stop_after_two = [&](const BenchLine&) {
    if (++lines == 2) interrupt = true;
  };
  EXPECT_THROW(static_cast<void>(run_collective_bench(*host_, small(), stop_after_two, &interrupt)),
               Interrupted);
  EXPECT_EQ(lines, 2);
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
}

std::vector<BenchLine> made_up_lines() {
  BenchLine small;
  small.bytes = 1024;
  small.count = 64;
  small.out_of_place = {12.34, 0.08298, 0.06223, 0};
  small.in_place = BenchSide{11.5, 0.08904, 0.06678, 3};
  BenchLine large;
  large.bytes = 64 * kMiB;
  large.count = 4 * kMiB;
  large.out_of_place = {9876.5, 6.795, 5.096, {}};
  return {small, large};
}

TEST(BenchText, IsAsTheGoldenFile) {
  const CollectiveBenchOptions options;
  const auto lines = made_up_lines();
  std::string text = bench_head(options);
  for (const auto& line : lines) text += bench_row(options, line);
  EXPECT_GOLDEN("bench/collective.txt", text + bench_foot(lines));
}

TEST(BenchJson, IsAsTheGoldenFile) {
  EXPECT_GOLDEN("bench/collective.json",
                bench_json(CollectiveBenchOptions{}, {"host", true, true, made_up_lines()}));
}

}  // namespace
}  // namespace conccl::bench
