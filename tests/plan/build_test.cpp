// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/plan/build.hpp"

#include <gtest/gtest.h>

#include "conccl/core/errors.hpp"
#include "conccl/plan/verify.hpp"

namespace conccl::plan {
namespace {

constexpr Request kGather{Collective::all_gather, 3, 4, Placement::out_of_place};
constexpr Request kInPlace{Collective::all_gather, 3, 4, Placement::in_place};
constexpr Request kExchange{Collective::all_to_all, 3, 4, Placement::out_of_place};

std::vector<std::string> steps_of(const Request& request, const Method& method, int rank) {
  const Plan plan = build(request, method);
  std::vector<std::string> steps;
  for (const Lane& lane : plan.ranks[static_cast<std::size_t>(rank)].lanes) {
    for (const Step& step : lane.steps) steps.push_back(to_string(plan, rank, step));
  }
  return steps;
}

using Steps = std::vector<std::string>;

TEST(Build, AllGatherPushInOneLane) {
  EXPECT_EQ(steps_of(kGather, {}, 1),
            (Steps{"signal rank 2 flag 1", "signal rank 0 flag 1", "wait flag 2", "wait flag 0",
                   "copy send+0 -> recv+4, 4 bytes", "copy send+0 -> rank 2 recv+4, 4 bytes",
                   "copy send+0 -> rank 0 recv+4, 4 bytes", "signal rank 2 flag 4",
                   "signal rank 0 flag 4", "wait flag 5", "wait flag 3"}));
}

TEST(Build, AllGatherInPlaceHasNoOwnCopy) {
  Method pull;
  pull.direction = Direction::pull;
  EXPECT_EQ(steps_of(kInPlace, pull, 0),
            (Steps{"signal rank 1 flag 0", "signal rank 2 flag 0", "wait flag 1", "wait flag 2",
                   "copy rank 1 recv+4 -> recv+4, 4 bytes", "copy rank 2 recv+8 -> recv+8, 4 bytes",
                   "signal rank 1 flag 3", "signal rank 2 flag 3", "wait flag 4", "wait flag 5"}));
}

TEST(Build, AllToAllPullInTwoLanes) {
  Method pull;
  pull.direction = Direction::pull;
  pull.engines = 2;
  EXPECT_EQ(steps_of(kExchange, pull, 1),
            (Steps{"signal rank 2 flag 1", "wait flag 2", "copy send+4 -> recv+4, 4 bytes",
                   "copy rank 2 send+4 -> recv+8, 4 bytes", "signal rank 2 flag 4", "wait flag 5",
                   "signal rank 0 flag 1", "wait flag 0", "copy rank 0 send+4 -> recv+0, 4 bytes",
                   "signal rank 0 flag 4", "wait flag 3"}));
}

TEST(Build, OneRankOnlyCopiesItsOwnBlock) {
  EXPECT_EQ(steps_of({Collective::all_to_all, 1, 7, {}}, {}, 0),
            (Steps{"copy send+0 -> recv+0, 7 bytes"}));
  EXPECT_TRUE(steps_of({Collective::all_gather, 1, 7, Placement::in_place}, {}, 0).empty());
}

TEST(Build, NothingToMoveIsNoLanes) {
  const Plan plan = build({Collective::all_gather, 4, 0, {}}, {});
  ASSERT_EQ(plan.ranks.size(), 4u);
  for (const RankPlan& rank : plan.ranks) EXPECT_TRUE(rank.lanes.empty());
  EXPECT_TRUE(verify(plan).accepted());
}

TEST(Build, ComputeFormKeepsItsShareAndPriority) {
  const Method method{Form::compute, Direction::push, 1, {Share::Kind::only, 3}, Priority::high};
  const Plan plan = build(kGather, method);
  EXPECT_EQ(plan.algorithm, "direct push, compute units");
  for (const RankPlan& rank : plan.ranks) {
    ASSERT_EQ(rank.lanes.size(), 1u);
    EXPECT_EQ(rank.lanes.front().engine, Engine::compute);
    EXPECT_EQ(rank.lanes.front().share, method.share);
    EXPECT_EQ(rank.lanes.front().priority, Priority::high);
  }
}

TEST(Build, FrameIsThePlanWithoutLanes) {
  Plan plan = build(kExchange, {});
  plan.ranks.clear();
  EXPECT_EQ(build_frame(kExchange, {}), plan);
}

struct BadInput {
  Request request;
  Method method;
  std::string names;  ///< what the error must name
};

class BuildRefuses : public testing::TestWithParam<BadInput> {};

TEST_P(BuildRefuses, WithAnErrorThatNamesIt) {
  const auto& [request, method, names] = GetParam();
  const auto refused = [&wanted = names](const auto& call) {
    try {
      static_cast<void>(call());
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(wanted), std::string::npos) << error.what();
      return true;
    }
    return false;
  };
  EXPECT_TRUE(refused([&, &r = request, &m = method] { return build(r, m); }));
  EXPECT_TRUE(refused([&, &r = request, &m = method] { return build_frame(r, m); }));
  EXPECT_TRUE(refused([&, &r = request, &m = method] { return build_rank(r, m, 0); }));
}

constexpr Bytes kTooMuch = Bytes{1} << 62;
constexpr Method kNoEngines{Form::dma, Direction::push, 0, {}, Priority::normal};
constexpr Method kNegativeEngines{Form::dma, Direction::push, -3, {}, Priority::normal};
constexpr Method kNoUnits{
    Form::compute, Direction::push, 1, {Share::Kind::only, 0}, Priority::normal};

INSTANTIATE_TEST_SUITE_P(
    BadInputs, BuildRefuses,
    testing::Values(BadInput{{Collective::all_to_all, 2, 8, Placement::in_place}, {}, "in-place"},
                    BadInput{{Collective::all_gather, 0, 8, {}}, {}, "ranks: 0"},
                    BadInput{{Collective::all_gather, -1, 8, {}}, {}, "ranks: -1"},
                    BadInput{{Collective::all_gather, kMaxRanks + 1, 8, {}}, {}, "ranks: 65537"},
                    BadInput{{Collective::all_to_all, 2, kTooMuch, {}}, {}, "bytes"},
                    BadInput{{Collective::all_gather, 3, ~Bytes{0}, {}}, {}, "bytes"},
                    BadInput{kGather, kNoEngines, "engines: 0"},
                    BadInput{kGather, kNegativeEngines, "engines: -3"},
                    BadInput{kGather, kNoUnits, "units: 0"}));

TEST(Build, RefusesARankThatIsNotThere) {
  EXPECT_THROW(static_cast<void>(build_rank(kGather, {}, 3)), InputError);
  EXPECT_THROW(static_cast<void>(build_rank(kGather, {}, -1)), InputError);
}

}  // namespace
}  // namespace conccl::plan
