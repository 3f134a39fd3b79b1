// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/collectives/direct.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace conccl::plan {
namespace {

/// Peers that lane `lane` of `lanes` serves, nearest successor first, so that no two ranks start
/// with the same target.
std::vector<int> peers_of_lane(const Request& request, int rank, int lane, int lanes) {
  std::vector<int> peers;
  for (int distance = 1 + lane; distance < request.ranks; distance += lanes) {
    peers.push_back((rank + distance) % request.ranks);
  }
  return peers;
}

struct LaneBuilder {
  const Request& request;
  const Method& method;
  const DirectBlocks& blocks;
  int rank;

  [[nodiscard]] Copy exchange(int peer) const {
    return method.direction == Direction::push ? blocks.to_peer(rank, peer)
                                               : blocks.to_peer(peer, rank);
  }

  /// ready to all, ready from all, the copies, done to all, done from all.
  [[nodiscard]] std::vector<Step> steps(const std::vector<int>& peers, bool with_own) const {
    std::vector<Step> list;
    list.reserve(5 * peers.size() + 1);
    for (const int peer : peers) list.emplace_back(Signal{peer, rank});
    for (const int peer : peers) list.emplace_back(Wait{peer});
    if (with_own) {
      if (const Copy own = blocks.own(rank); own.bytes > 0) list.emplace_back(own);
    }
    for (const int peer : peers) list.emplace_back(exchange(peer));
    for (const int peer : peers) list.emplace_back(Signal{peer, request.ranks + rank});
    for (const int peer : peers) list.emplace_back(Wait{request.ranks + peer});
    return list;
  }
};

int lane_count(const Request& request, const Method& method) {
  if (method.form == Form::compute) return 1;
  return std::max(1, std::min(request.ranks - 1, method.engines));
}

Lane lane_of(const Method& method, std::string label, std::vector<Step> steps) {
  Lane lane;
  lane.label = std::move(label);
  lane.engine = method.form == Form::dma ? Engine::dma : Engine::compute;
  lane.share = method.form == Form::dma ? Share{} : method.share;
  lane.priority = method.priority;
  lane.steps = std::move(steps);
  return lane;
}

bool has_own_lane(const Request& request, const Method& method, const Copy& own) {
  return method.form == Form::dma && method.own_block != OwnBlock::first_lane && own.bytes > 0 &&
         request.ranks > 1;
}

Lane own_lane(const Method& method, const Copy& own) {
  Lane lane = lane_of(method, std::string(kOwnLane), {own});
  if (method.own_block != OwnBlock::compute_lane) return lane;
  lane.engine = Engine::compute;
  lane.share = method.share;
  return lane;
}

}  // namespace

RankPlan build_direct(const Request& request, const Method& method, int rank,
                      const DirectBlocks& blocks) {
  RankPlan plan;
  if (request.block == 0) return plan;
  const LaneBuilder builder{request, method, blocks, rank};
  const Copy own = blocks.own(rank);
  const bool apart = has_own_lane(request, method, own);
  const int lanes = lane_count(request, method);
  for (int index = 0; index < lanes; ++index) {
    const bool with_own = index == 0 && !apart;
    plan.lanes.push_back(
        lane_of(method, fmt::format("comm{}", index),
                builder.steps(peers_of_lane(request, rank, index, lanes), with_own)));
  }
  if (apart) plan.lanes.push_back(own_lane(method, own));
  return plan;
}

}  // namespace conccl::plan
