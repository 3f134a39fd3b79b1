// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Roll`: who has come, and why it will not work out.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "comm/wire.hpp"

namespace conccl::comm {

/// The ranks that have come to one meeting.
class Roll {
 public:
  /// Enters a rank. Returns the reason when it does not fit to those that came before.
  [[nodiscard]] std::optional<std::string> enter(const Introduction& newcomer);

  [[nodiscard]] bool complete() const;
  /// As many as the first rank said; 0 while nobody has come.
  [[nodiscard]] std::size_t ranks() const;
  /// Once complete, by rank.
  [[nodiscard]] std::vector<Introduction> members() const;
  /// "ranks 1 and 3 of 4 did not come within 2000 ms".
  [[nodiscard]] std::string missing_text(std::chrono::milliseconds waited) const;

 private:
  [[nodiscard]] std::optional<std::string> conflict(const Introduction& newcomer) const;

  std::map<std::uint32_t, Introduction> present_;  ///< by rank
};

/// "rank 3 (process 1234)".
[[nodiscard]] std::string rank_text(const Introduction& member);

}  // namespace conccl::comm
