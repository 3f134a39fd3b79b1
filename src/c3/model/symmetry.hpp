// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Plans whose ranks all do the same, each seen from its own place: rank r does to rank r + d what
/// rank 0 does to rank d. One rank then stands for all of them.
#pragma once

#include <optional>
#include <vector>

#include "conccl/plan/plan.hpp"

namespace conccl::c3 {

/// A flag that nothing waits for.
inline constexpr int kUnheard = -1;

class RankSymmetry {
 public:
  /// nullopt where the ranks differ: in lanes, steps, bytes, tasks, in which copies read what
  /// the one before reads, or in which flags they wait for. Cost: the plan's steps, and flags times
  /// ranks.
  [[nodiscard]] static std::optional<RankSymmetry> of(const plan::Plan& plan);

  /// What rank 0 calls the flag that `rank` calls `flag`, or kUnheard.
  [[nodiscard]] int on_rank_0(int rank, int flag) const;

 private:
  explicit RankSymmetry(const plan::Plan& plan);

  [[nodiscard]] bool learn(const plan::Plan& plan, int rank);
  [[nodiscard]] bool learn_wait(int rank, int flag_on_0, int flag);
  [[nodiscard]] bool signals_agree(const plan::Plan& plan, int rank) const;

  int ranks_;
  int flags_;
  std::vector<int> on_rank_0_;  ///< by rank and flag
  std::vector<int> of_rank_0_;  ///< by rank and flag of rank 0
};

}  // namespace conccl::c3
