// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What a soak says at its end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/soak/options.hpp"
#include "tests/soak/tally.hpp"

namespace conccl::soak {

struct Report {
  SoakOptions options;
  int ranks = 1;
  std::uint64_t epochs = 0;
  Tally tally;
  std::vector<Findings> by_rank;

  [[nodiscard]] std::uint64_t checked_bytes() const;
  [[nodiscard]] std::uint64_t wrong_bytes() const;
  /// Which resources grew beyond their limits, and on which rank; empty: none.
  [[nodiscard]] std::vector<std::string> growth() const;
  [[nodiscard]] bool passed() const { return wrong_bytes() == 0 && growth().empty(); }
};

/// A table, then one line of JSON.
[[nodiscard]] std::string table_of(const Report& report);
[[nodiscard]] std::string json_of(const Report& report);

}  // namespace conccl::soak
