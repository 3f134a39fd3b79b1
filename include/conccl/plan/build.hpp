// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// From a request to a plan. Pure; one file per collective in src/plan/collectives/.
#pragma once

#include <string_view>

#include "conccl/plan/plan.hpp"

namespace conccl::plan {

/// dma: one lane per engine, at most min(peers, engines). compute: one fused lane.
enum class Form { dma, compute };

/// push: a rank writes into its peers. pull: a rank reads from its peers.
enum class Direction { push, pull };

/// Where a rank's block for itself is copied in the dma form: before the others in the first lane,
/// or in a lane of its own, on DMA engines or by a kernel. It needs nothing of the peers; an engine
/// may take it one by one with the copies to them.
enum class OwnBlock { first_lane, own_lane, compute_lane };

/// The label of such a lane.
inline constexpr std::string_view kOwnLane = "own";

/// How a collective is carried out. All algorithms here are direct: one step, every pair of ranks.
struct Method {
  Form form = Form::dma;
  Direction direction = Direction::push;
  int engines = 1;  ///< dma: engines of the device for copies to peers, at least 1
  Share share;      ///< compute: units for the fused lane; dma: for the own block's compute lane
  Priority priority = Priority::normal;
  OwnBlock own_block = OwnBlock::first_lane;  ///< dma

  friend bool operator==(const Method&, const Method&) = default;
};

/// Everything but the lanes: request, algorithm name, flags. `ranks` is empty.
[[nodiscard]] Plan build_frame(const Request& request, const Method& method);

/// The lanes of one rank: what a rank builds for itself at run time.
/// Throws InputError for an invalid request, method or rank.
[[nodiscard]] RankPlan build_rank(const Request& request, const Method& method, int rank);

/// The lanes of all ranks: for the verifier, the model and people.
[[nodiscard]] Plan build(const Request& request, const Method& method);

}  // namespace conccl::plan
