// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Joining: how a rank's communicator comes to be.
#pragma once

#include <memory>
#include <vector>

#include "capi/config.hpp"
#include "capi/handles.hpp"

namespace conccl::capi {

/// One rank that is to join, everything about it checked but the id.
struct Join {
  concclComm_t* slot = nullptr;  ///< the caller's variable
  Settings settings;
  comm::UniqueId id;
  comm::RankOf place;
  int device = 0;
};

/// Blocks until all ranks have joined. Throws PeerError when they do not come together.
[[nodiscard]] std::shared_ptr<Comm> join(const Join& wanted);

/// Side by side, each on a thread; by index. Throws what the first that failed has thrown, once all
/// have ended; then none of them is left.
[[nodiscard]] std::vector<std::shared_ptr<Comm>> join_all(const std::vector<Join>& wanted);

}  // namespace conccl::capi
