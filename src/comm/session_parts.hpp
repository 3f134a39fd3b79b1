// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `SessionParts`: the areas and flags of all ranks, made here or mapped from the peers.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "comm/area.hpp"
#include "comm/join.hpp"
#include "comm/ring.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::comm {

/// All lists are by rank, unless they say otherwise.
struct SessionParts {
  std::vector<int> local_ranks;  ///< those of this process's communicators, ascending
  std::vector<const backend::Device*> local_devices;  ///< of these ranks, in their order
  std::vector<Introduction> members;                  ///< empty: every rank is local
  std::vector<Link> links;                            ///< empty: every rank is local
  backend::Device* device = nullptr;  ///< of the local rank; null: every rank is local
  std::vector<Area> areas;
  std::vector<std::unique_ptr<backend::FlagBlock>> flags;        ///< that plans use
  std::vector<std::unique_ptr<backend::FlagBlock>> completions;  ///< one flag: the last call passed
};

/// Every rank on one of `devices`.
[[nodiscard]] SessionParts parts_in_process(
    std::span<const std::unique_ptr<backend::Device>> devices);

/// Rank `rank` on `device`; sends its own parts to the peers and maps theirs. Throws RunError
/// naming the rank from which they do not come.
[[nodiscard]] SessionParts parts_between_processes(Membership membership, int rank,
                                                   backend::Device& device,
                                                   std::chrono::milliseconds deadline);

}  // namespace conccl::comm
