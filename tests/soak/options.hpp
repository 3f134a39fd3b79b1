// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What `conccl-soak` is asked for on its command line.
#pragma once

#include <chrono>
#include <cstdint>

#include "conccl/core/units.hpp"

namespace conccl::soak {

/// processes: this process is one rank, as its environment says. threads: all ranks live here.
enum class Launch { processes, threads };

struct SoakOptions {
  int seconds = 60;
  std::uint64_t seed = 1;
  std::uint64_t first_epoch = 0;
  Launch launch = Launch::processes;
  int ranks = 4;  ///< threads; processes: from the environment
  Bytes max_bytes = 4 * kMiB;
  std::chrono::seconds deadline{60};  ///< of every communicator
  std::uint64_t spoil = 0;            ///< the first operation from this one on is spoiled; 0: none
};

/// Exits for --help and for wrong usage (2).
[[nodiscard]] SoakOptions parse_options(int argc, char** argv);

}  // namespace conccl::soak
