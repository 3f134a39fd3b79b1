// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What holds for every plan that the builders make.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "conccl/core/errors.hpp"
#include "conccl/plan/build.hpp"
#include "conccl/plan/verify.hpp"

namespace conccl::plan {
namespace {

constexpr Bytes kMaxTotal = static_cast<Bytes>(std::numeric_limits<std::int64_t>::max());

struct Case {
  Request request;
  Method method;
};

// rapidcheck finds it by this name.
void showValue(const Case& value, std::ostream& out) {  // NOLINT(readability-identifier-naming)
  const auto& [request, method] = value;
  out << name_of(request.collective)
      << (request.placement == Placement::in_place ? " in place" : "") << ", " << request.ranks
      << " ranks, block " << request.block << ", " << (method.form == Form::dma ? "dma" : "compute")
      << (method.direction == Direction::push ? " push" : " pull") << ", " << method.engines
      << " engines";
}

/// 0, 1, odd, anything, and the largest that `ranks` allow.
rc::Gen<Bytes> block_of(int ranks) {
  const Bytes most = kMaxTotal / static_cast<Bytes>(ranks);
  return rc::gen::oneOf(
      rc::gen::element<Bytes>(0, 1, most, most - 1),
      rc::gen::map(rc::gen::inRange<Bytes>(0, 1000), [](Bytes half) { return 2 * half + 1; }),
      rc::gen::inRange<Bytes>(0, most));
}

Request any_request() {
  Request request;
  request.collective = *rc::gen::elementOf(all_collectives());
  request.ranks = *rc::gen::oneOf(rc::gen::inRange(1, 9), rc::gen::inRange(1, 65));
  request.block = *block_of(request.ranks);
  if (request.collective == Collective::all_gather) {
    request.placement = *rc::gen::element(Placement::out_of_place, Placement::in_place);
  }
  return request;
}

Method any_method() {
  Method method;
  method.form = *rc::gen::element(Form::dma, Form::compute);
  method.direction = *rc::gen::element(Direction::push, Direction::pull);
  method.engines = *rc::gen::inRange(1, 81);
  method.own_block =
      *rc::gen::element(OwnBlock::first_lane, OwnBlock::own_lane, OwnBlock::compute_lane);
  method.share = {*rc::gen::element(Share::Kind::all, Share::Kind::only, Share::Kind::all_but),
                  *rc::gen::inRange(1, 300)};
  method.priority = *rc::gen::element(Priority::normal, Priority::high);
  return method;
}

rc::Gen<Case> any_case() {
  return rc::gen::exec([] { return Case{any_request(), any_method()}; });
}

/// What one rank must move: everything it sends (push) or receives (pull), less what lies in place.
Bytes least_bytes(const Request& request) {
  return recv_bytes(request) - (request.placement == Placement::in_place ? request.block : 0);
}

Bytes copied_bytes(const RankPlan& rank) {
  Bytes sum = 0;
  for (const Lane& lane : rank.lanes) {
    for (const Step& step : lane.steps) {
      if (const auto* copy = std::get_if<Copy>(&step)) sum += copy->bytes;
    }
  }
  return sum;
}

RC_GTEST_PROP(BuiltPlan, Verifies, ()) {
  const Case value = *any_case();
  const Verdict verdict = verify(build(value.request, value.method));
  if (!verdict.accepted()) RC_FAIL(verdict.complaints.front().text);
}

RC_GTEST_PROP(BuiltPlan, UsesNoMoreLanesThanItHasPeersOrEngines, ()) {
  const auto [request, method] = *any_case();
  const int peers = request.ranks - 1;
  const Plan plan = build(request, method);
  RC_ASSERT(plan.ranks.size() == static_cast<std::size_t>(request.ranks));
  for (const RankPlan& rank : plan.ranks) {
    const auto lanes = static_cast<int>(rank.lanes.size());
    if (request.block == 0) {
      RC_ASSERT(lanes == 0);
    } else if (method.form == Form::compute || peers == 0) {
      RC_ASSERT(lanes == 1);
    } else {
      const bool own_lane =
          method.own_block != OwnBlock::first_lane && request.placement == Placement::out_of_place;
      RC_ASSERT(lanes == std::min(peers, method.engines) + (own_lane ? 1 : 0));
    }
    for (const Lane& lane : rank.lanes) {
      const bool by_kernel = method.form == Form::compute ||
                             (lane.label == kOwnLane && method.own_block == OwnBlock::compute_lane);
      RC_ASSERT(lane.engine == (by_kernel ? Engine::compute : Engine::dma));
    }
  }
}

RC_GTEST_PROP(BuiltPlan, MovesTheLeastBytes, ()) {
  const auto [request, method] = *any_case();
  for (const RankPlan& rank : build(request, method).ranks) {
    RC_ASSERT(copied_bytes(rank) == least_bytes(request));
  }
}

RC_GTEST_PROP(BuiltPlan, IsWhatEachRankBuildsForItself, ()) {
  const auto [request, method] = *any_case();
  const Plan plan = build(request, method);
  const int rank = *rc::gen::inRange(0, request.ranks);
  RC_ASSERT(build_rank(request, method, rank) == plan.ranks[static_cast<std::size_t>(rank)]);
}

RC_GTEST_PROP(BuiltPlan, RaisesAndAwaitsEachFlagOnce, ()) {
  const auto [request, method] = *any_case();
  const Plan plan = build(request, method);
  std::set<std::pair<int, int>> raised;
  std::set<std::pair<int, int>> awaited;
  for (int rank = 0; rank < request.ranks; ++rank) {
    for (const Lane& lane : plan.ranks[static_cast<std::size_t>(rank)].lanes) {
      for (const Step& step : lane.steps) {
        if (const auto* signal = std::get_if<Signal>(&step)) {
          RC_ASSERT(signal->flag >= 0 && signal->flag < plan.flags);
          RC_ASSERT(raised.emplace(signal->rank, signal->flag).second);
        }
        if (const auto* wait = std::get_if<Wait>(&step)) {
          RC_ASSERT(awaited.emplace(rank, wait->flag).second);
        }
      }
    }
  }
  RC_ASSERT(raised == awaited);
}

RC_GTEST_PROP(Build, RefusesWhatDoesNotFit, ()) {
  auto [request, method] = *any_case();
  RC_PRE(request.ranks > 1);
  const Bytes most = kMaxTotal / static_cast<Bytes>(request.ranks);
  request.block = *rc::gen::inRange<Bytes>(most + 1, std::numeric_limits<Bytes>::max());
  RC_ASSERT_THROWS_AS((void)build(request, method), InputError);
}

RC_GTEST_PROP(Build, RefusesRanksOutOfRange, ()) {
  auto [request, method] = *any_case();
  request.ranks = *rc::gen::oneOf(rc::gen::inRange(std::numeric_limits<int>::min(), 1),
                                  rc::gen::inRange(kMaxRanks + 1, std::numeric_limits<int>::max()));
  request.block = 1;
  RC_ASSERT_THROWS_AS((void)build(request, method), InputError);
}

}  // namespace
}  // namespace conccl::plan
