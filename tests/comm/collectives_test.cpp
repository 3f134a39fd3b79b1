// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Both collectives, byte for byte, over ranks, sizes, types, placements, directions, policies,
// ordinary buffers and windows; one thread per rank and one for all.

#include <string>
#include <tuple>

#include "tests/comm/support.hpp"

namespace conccl::test {
namespace {

using comm::Policy;
using plan::Collective;
using plan::Direction;
using plan::Placement;

struct Way {
  Direction direction;
  Policy policy;
};

constexpr Way kWays[] = {{Direction::push, Policy::dma},
                         {Direction::pull, Policy::dma},
                         {Direction::push, Policy::compute},
                         {Direction::pull, Policy::compute},
                         {Direction::push, Policy::automatic}};

comm::Options options_of(const Way& way) {
  comm::Options options = World::patient();
  options.direction = way.direction;
  options.policy = way.policy;
  return options;
}

/// Every placement, alignment and registration of `count` elements.
std::vector<Trial> trials_of(std::uint64_t count, DataType type) {
  std::vector<Trial> trials;
  for (const bool windowed : {false, true}) {
    for (const Bytes skew : {Bytes{0}, Bytes{3}}) {
      trials.push_back(
          {Collective::all_gather, count, type, Placement::out_of_place, skew, windowed});
      trials.push_back({Collective::all_gather, count, type, Placement::in_place, skew, windowed});
      trials.push_back(
          {Collective::all_to_all, count, type, Placement::out_of_place, skew, windowed});
    }
  }
  return trials;
}

std::string describe(const Trial& trial) {
  return std::string(plan::name_of(trial.collective)) + " of " + std::to_string(trial.count) + " " +
         std::string(name_of(trial.type)) +
         (trial.placement == Placement::in_place ? ", in place" : "") +
         (trial.windowed ? ", windows" : "") + ", skew " + std::to_string(trial.skew);
}

class Collectives : public testing::TestWithParam<std::tuple<int, std::uint64_t>> {
 protected:
  [[nodiscard]] static int ranks() { return std::get<0>(GetParam()); }
  [[nodiscard]] static std::uint64_t bytes() { return std::get<1>(GetParam()); }
};

TEST_P(Collectives, AThreadPerRank) {
  for (const Way& way : kWays) {
    World world(ranks(), options_of(way));
    std::uint64_t seed = 1;
    for (const Trial& trial : trials_of(bytes(), DataType::uint8)) {
      SCOPED_TRACE(describe(trial));
      Exchange exchange(world, trial, ++seed);
      const auto outcomes = on_each_rank(ranks(), [&exchange](int rank) { exchange.call(rank); });
      EXPECT_THAT(outcomes, testing::Each(""));
      world.synchronize();
      EXPECT_TRUE(exchange.right());
    }
  }
}

TEST_P(Collectives, OneThreadForAllRanks) {
  for (const Way& way : kWays) {
    World world(ranks(), options_of(way));
    std::uint64_t seed = 100;
    for (const Trial& trial : trials_of(bytes(), DataType::uint8)) {
      SCOPED_TRACE(describe(trial));
      Exchange exchange(world, trial, ++seed);
      exchange.call_all();
      world.synchronize();
      EXPECT_TRUE(exchange.right());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Collectives,
                         testing::Combine(testing::Values(1, 2, 3, 4, 5, 8),
                                          testing::Values(0, 1, 777, 4096)));
// A megabyte and three bytes crosses chunk borders; fewer ranks keep a sanitizer's run short.
INSTANTIATE_TEST_SUITE_P(Large, Collectives,
                         testing::Combine(testing::Values(1, 2, 3, 4, 5, 8),
                                          testing::Values(kMiB + 3)));

class Types : public testing::TestWithParam<DataType> {};

TEST_P(Types, CountsAreElements) {
  World world(3);
  std::uint64_t seed = 7;
  for (const Trial& trial : trials_of(1001, GetParam())) {
    SCOPED_TRACE(describe(trial));
    Exchange exchange(world, trial, ++seed);
    exchange.call_all();
    world.synchronize();
    EXPECT_TRUE(exchange.right());
  }
}

INSTANTIATE_TEST_SUITE_P(All, Types,
                         testing::Values(DataType::int8, DataType::uint8, DataType::int32,
                                         DataType::uint32, DataType::int64, DataType::uint64,
                                         DataType::float16, DataType::float32, DataType::float64,
                                         DataType::bfloat16));

}  // namespace
}  // namespace conccl::test
