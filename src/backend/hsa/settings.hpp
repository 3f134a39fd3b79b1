// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What the environment says of this backend and of the HSA runtime.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace conccl::backend::hsa {

/// As many as the runtime's interface can name.
inline constexpr int kMostEngines = 16;

struct Settings {
  /// CONCCL_HSA_ENGINES: runtime engine ids that copies may use; empty: all.
  std::vector<int> engines;
  /// CONCCL_HSA_DEADLINE, in seconds: how long a copy or kernel may take, beyond the time that its
  /// bytes need at 100 MB/s.
  std::chrono::milliseconds deadline{30'000};
  /// CONCCL_HSA_BATCH=1: copies between two fences are one call where the runtime has it, and it
  /// chooses their engines.
  bool batch = false;
  /// The runtime's HSA_REV_COPY_DIR: it swaps the agents of the copies that it is handed.
  bool reversed = false;
};

/// Throws InputError naming the variable, what it holds and what was expected.
[[nodiscard]] Settings settings_from_environment();

/// The runtime's own variables that change how it copies, and what they hold; those that are set.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> runtime_variables();

/// Why "copies on SDMA engines" would run on compute units instead: one line for each variable that
/// does so. The runtime does not tell.
[[nodiscard]] std::vector<std::string> why_not_sdma();

}  // namespace conccl::backend::hsa
