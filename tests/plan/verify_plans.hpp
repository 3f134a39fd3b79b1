// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Hand-written plans for the verifier's tests, and short ways to write and change them.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "conccl/plan/build.hpp"
#include "conccl/plan/verify.hpp"

namespace conccl::plan::testing {

inline constexpr Bytes kBlock = 64;

inline Ref send(int rank, Bytes offset = 0) { return {rank, BufferKind::send, offset}; }
inline Ref recv(int rank, Bytes offset = 0) { return {rank, BufferKind::recv, offset}; }
inline Ref scratch(int rank, Bytes offset = 0) { return {rank, BufferKind::scratch, offset}; }

inline Lane lane(std::vector<Step> steps) {
  Lane result;
  result.label = "lane";
  result.steps = std::move(steps);
  return result;
}

/// A plan with one lane per rank.
inline Plan plan_of(const Request& request, int flags, std::vector<std::vector<Step>> ranks) {
  Plan plan;
  plan.request = request;
  plan.flags = flags;
  for (auto& steps : ranks) plan.ranks.push_back({{lane(std::move(steps))}});
  return plan;
}

inline std::vector<Step>& steps_of(Plan& plan, int rank, int lane_index = 0) {
  return plan.ranks.at(static_cast<std::size_t>(rank))
      .lanes.at(static_cast<std::size_t>(lane_index))
      .steps;
}

inline void erase_step(Plan& plan, int rank, std::size_t step) {
  auto& steps = steps_of(plan, rank);
  steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(step));
}

inline void append(std::vector<Step>& steps, std::initializer_list<Step> more) {
  steps.insert(steps.end(), more);
}

/// Out-of-place all-gather of two ranks by push. Per rank: 0 ready to the peer, 1 ready from the
/// peer, 2 own copy, 3 copy to the peer, 4 done to the peer, 5 done from the peer.
inline Plan pair_all_gather() {
  return build({Collective::all_gather, 2, kBlock, Placement::out_of_place}, {});
}

/// In-place all-gather around a ring: in step k, rank r hands block r - k to rank r + 1. Flag 0
/// says that the successor is ready, flag 1 + k that step k's block has arrived, and flag `ranks`
/// that the successor needs nothing more.
inline Plan ring_all_gather(int ranks) {
  std::vector<std::vector<Step>> all;
  for (int rank = 0; rank < ranks; ++rank) {
    const int next = (rank + 1) % ranks;
    const int previous = (rank + ranks - 1) % ranks;
    std::vector<Step> steps{Signal{previous, 0}, Wait{0}};
    for (int k = 0; k + 1 < ranks; ++k) {
      const Bytes place = static_cast<Bytes>((rank + ranks - k) % ranks) * kBlock;
      append(steps, {Copy{recv(rank, place), recv(next, place), kBlock}, Signal{next, 1 + k},
                     Wait{1 + k}});
    }
    all.push_back(std::move(steps));
  }
  return plan_of({Collective::all_gather, ranks, kBlock, Placement::in_place}, ranks,
                 std::move(all));
}

/// All-to-all of two ranks through the scratch of the receiver, in `chunks` pieces that follow one
/// another through the same scratch bytes. Flags: 0 ready, 1 + 2k piece k is in your scratch,
/// 2 + 2k your peer has taken piece k out of its scratch. Per rank: 0 ready to, 1 ready from, 2
/// own; then for each piece 3 + 6k: push to the peer's scratch, signal, wait, take out, signal,
/// wait.
inline Plan bounce_all_to_all(int chunks) {
  const Bytes block = kBlock * static_cast<Bytes>(chunks);
  std::vector<std::vector<Step>> all;
  for (int rank = 0; rank < 2; ++rank) {
    const int peer = 1 - rank;
    const Bytes own = static_cast<Bytes>(rank) * block;
    const Bytes other = static_cast<Bytes>(peer) * block;
    std::vector<Step> steps{Signal{peer, 0}, Wait{0},
                            Copy{send(rank, own), recv(rank, own), block}};
    for (int k = 0; k < chunks; ++k) {
      const Bytes piece = other + static_cast<Bytes>(k) * kBlock;
      append(steps, {Copy{send(rank, piece), scratch(peer), kBlock}, Signal{peer, 1 + 2 * k},
                     Wait{1 + 2 * k}, Copy{scratch(rank), recv(rank, piece), kBlock},
                     Signal{peer, 2 + 2 * k}, Wait{2 + 2 * k}});
    }
    all.push_back(std::move(steps));
  }
  Plan plan = plan_of({Collective::all_to_all, 2, block, Placement::out_of_place}, 1 + 2 * chunks,
                      std::move(all));
  plan.scratch_bytes = kBlock;
  return plan;
}

/// All-gather by push in which every order between ranks goes through rank 0: it collects
/// everyone's readiness and says go, collects everyone's completion and says stop.
inline Plan coordinated_all_gather(int ranks) {
  const int go = 2 * ranks;
  const int stop = go + 1;
  std::vector<std::vector<Step>> all(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    auto& steps = all[static_cast<std::size_t>(rank)];
    const auto meet = [&](int first_flag, int release) {
      append(steps, {Signal{0, first_flag + rank}});
      for (int peer = 0; peer < ranks && rank == 0; ++peer)
        append(steps, {Wait{first_flag + peer}});
      for (int peer = 0; peer < ranks && rank == 0; ++peer) append(steps, {Signal{peer, release}});
      append(steps, {Wait{release}});
    };
    meet(0, go);
    for (int peer = 0; peer < ranks; ++peer) {
      append(steps, {Copy{send(rank), recv(peer, static_cast<Bytes>(rank) * kBlock), kBlock}});
    }
    meet(ranks, stop);
  }
  return plan_of({Collective::all_gather, ranks, kBlock, Placement::out_of_place}, 2 * ranks + 2,
                 std::move(all));
}

}  // namespace conccl::plan::testing
