// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What to set so that a strategy runs as advised.
#pragma once

#include <string>
#include <vector>

#include "conccl/c3/strategy.hpp"
#include "conccl/core/machine.hpp"

namespace conccl::c3 {

/// One thing to set, in whose words, and where these are documented.
struct Setting {
  std::string where;  ///< "conccl", "environment", "streams", "gemm", "pytorch"
  std::string what;
  std::string source;
};

/// Kernel strategies run the vendor's library: NCCL on backend "cuda", RCCL on "hsa", elsewhere
/// this library's kernels. Only settings with a source are listed.
[[nodiscard]] std::vector<Setting> settings_for(const Machine& machine, const Strategy& strategy,
                                                int budget);

}  // namespace conccl::c3
