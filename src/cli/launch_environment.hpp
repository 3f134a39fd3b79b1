// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What a launcher puts into the environment of its ranks (docs/processes.md).
#pragma once

#include <string>
#include <vector>

#include "conccl/comm/unique_id.hpp"

namespace conccl::cli {

/// This process's environment, with the variables of `rank` of `ranks` in place of what was there.
/// `interface`: the network interface at which they meet; empty: loopback.
[[nodiscard]] std::vector<std::string> environment_of_rank(const comm::RunMeeting& meeting,
                                                           const std::string& interface, int rank,
                                                           int ranks);

}  // namespace conccl::cli
