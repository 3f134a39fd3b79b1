// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What a launcher puts into the environment of its ranks (docs/processes.md).
#pragma once

#include <string>
#include <vector>

namespace conccl::cli {

/// Equal for all ranks of one run.
struct MeetingPoint {
  std::string address;
  int port = 0;
  std::string secret;     ///< 32 hexadecimal digits
  std::string interface;  ///< empty: loopback
};

/// A port that is free now, and a fresh secret. Throws InputError for an interface that does not
/// exist or has no address, RunError when no port can be had.
[[nodiscard]] MeetingPoint choose_meeting_point(const std::string& interface);

/// This process's environment, with the variables of `rank` of `ranks` in place of what was there.
[[nodiscard]] std::vector<std::string> environment_of_rank(const MeetingPoint& meeting, int rank,
                                                           int ranks);

}  // namespace conccl::cli
