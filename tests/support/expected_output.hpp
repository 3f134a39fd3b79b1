// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What a collective must leave in recv when every rank sends a pattern of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "conccl/backend/device.hpp"
#include "conccl/plan/request.hpp"

namespace conccl::test {

/// Every rank r sends pattern {r, round}. Of `rank`, block by block in the order of the ranks;
/// `start`: offset of its recv in the buffer.
inline std::vector<backend::Stretch> expected_output(const plan::Request& request, int rank,
                                                     std::uint64_t round, Bytes start = 0) {
  const bool gather = request.collective == plan::Collective::all_gather;
  const Bytes from = gather ? 0 : static_cast<Bytes>(rank) * request.block;
  std::vector<backend::Stretch> stretches;
  for (int sender = 0; sender < request.ranks; ++sender) {
    const Bytes offset = start + static_cast<Bytes>(sender) * request.block;
    stretches.push_back({offset, request.block, {sender, round}, from});
  }
  return stretches;
}

}  // namespace conccl::test
