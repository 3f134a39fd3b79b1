// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Right plans to start from: what the builders make, and what only a hand writes.
#pragma once

#include <string>
#include <vector>

#include "conccl/plan/build.hpp"

namespace conccl::plan::oracle {

struct NamedPlan {
  std::string name;
  Plan plan;
};

/// Every variant of the builders for `ranks`: both collectives, in place and not, push and pull,
/// one to `ranks - 1` DMA lanes, and the compute form. With scratch, so that it can be hit by
/// mistake.
[[nodiscard]] std::vector<NamedPlan> built_plans(int ranks, Bytes block);

/// All-gather around a ring: each rank hands on to its successor what its predecessor gave it.
[[nodiscard]] Plan ring_all_gather(int ranks, Bytes block, Placement placement);

/// All-gather through scratch: a compute lane copies send to scratch and tells a DMA lane of the
/// same rank, which copies it on to the peers.
[[nodiscard]] Plan staged_all_gather(int ranks, Bytes block);

/// A built plan that raises and awaits every flag twice over, next to a lane of compute tasks.
[[nodiscard]] Plan overcautious_all_to_all(int ranks, Bytes block);

/// The three above.
[[nodiscard]] std::vector<NamedPlan> hand_written_plans(int ranks, Bytes block);

}  // namespace conccl::plan::oracle
