// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `launch`: one command as the processes of a run, one per rank.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/rank_process.hpp"

namespace conccl::cli {

/// Lines of ranks as they are, or each with "[rank] " before it.
enum class OutputStyle { plain, tagged };

struct LaunchOptions {
  std::vector<std::string> command;
  int ranks = 1;
  /// After a rank has failed, how long the others may go on: time to report what they saw. Those
  /// left are then asked to end (SIGTERM), and killed after kLastWords.
  std::chrono::seconds grace{35};
  OutputStyle output = OutputStyle::plain;
  std::string interface;  ///< where the ranks meet; empty: loopback
};

inline constexpr std::chrono::seconds kLastWords{5};

struct LaunchResult {
  std::vector<RankEnd> ends;     ///< in the order in which they ended
  int signal = 0;                ///< the first that was passed on to the ranks; 0: none
  std::size_t on_their_own = 0;  ///< how many of them ended before the launcher signalled any

  /// What failed first; nullopt: every rank exited with 0. A rank that somebody else's signal ended
  /// comes before ranks that exited: they may have noticed before it was quite gone.
  [[nodiscard]] std::optional<RankEnd> first_failure() const;
};

/// Starts the ranks and waits until all have ended. Rank 0 gets the standard input, the others
/// none. SIGINT, SIGTERM, SIGHUP and SIGQUIT of this process are passed on to every rank once; the
/// next one kills them. Ranks are killed when the calling thread ends.
/// Call it where the process has no other threads. Throws as `start_process` and
/// `comm::new_run`; no rank runs then.
[[nodiscard]] LaunchResult launch(const LaunchOptions& options);

}  // namespace conccl::cli
