// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The schedule that all direct collectives share: every pair of ranks exchanges one block.
#pragma once

#include <functional>

#include "conccl/plan/build.hpp"

namespace conccl::plan {

/// The blocks of a direct collective. `to_peer(a, b)` is the copy that brings a's block to b;
/// `own(a)` is a's block for itself, of zero bytes when it already lies in place.
struct DirectBlocks {
  std::function<Copy(int from, int to)> to_peer;
  std::function<Copy(int rank)> own;
};

/// Flags of a direct plan, per rank: 0 .. ranks-1 "rank s is ready: its buffers may be touched",
/// ranks .. 2 ranks-1 "rank s is done with my buffers". Flag numbers depend on the source rank
/// alone, so a flag has the same writer in every direct plan of a communicator.
[[nodiscard]] constexpr int direct_flags(int ranks) { return 2 * ranks; }

[[nodiscard]] RankPlan build_direct(const Request& request, const Method& method, int rank,
                                    const DirectBlocks& blocks);

[[nodiscard]] RankPlan build_all_gather(const Request& request, const Method& method, int rank);
[[nodiscard]] RankPlan build_all_to_all(const Request& request, const Method& method, int rank);

}  // namespace conccl::plan
