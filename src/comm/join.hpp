// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// How a rank joins: meets the others over TCP, then gets a link to each of them.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "comm/link.hpp"
#include "comm/wire.hpp"
#include "conccl/comm/communicator.hpp"

namespace conccl::comm {

/// A rank that has met the others.
struct Membership {
  std::vector<Introduction> members;  ///< by rank
  std::vector<Link> links;            ///< by rank; the own one is closed
};

struct JoinRequest {
  RankOf place;
  std::string options;  ///< what must be equal on all ranks: "name=value name=value"
  std::chrono::milliseconds deadline{};
};

/// Blocks until every rank has joined and the links are there. Throws RunError with the reason,
/// InputError for a place or options that cannot be, or bytes that are no id.
[[nodiscard]] Membership join(const UniqueId& id, const JoinRequest& request);

}  // namespace conccl::comm
