// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Max-min fairness: all rates rise together, each until it meets its limit or a resource of its is
/// used up. The result is unique, and no rate can grow without a lower or equal one shrinking.
#pragma once

#include <span>
#include <vector>

#include "c3/model/system.hpp"

namespace conccl::c3 {

struct Claimant {
  double limit = 0;  ///< its rate if it met nobody
  /// Of each resource at rate 1, to be multiplied by `scale`.
  std::span<const Use> uses;
  double scale = 1;
};

/// The rates of `claimants`, in their order; each resource has capacity 1. A share is at most 1
/// where rate 1 is possible at all. Cost: claimants times uses.
class FairShare {
 public:
  explicit FairShare(int resources);

  [[nodiscard]] const std::vector<double>& rates(std::span<const Claimant> claimants);

 private:
  void start(std::span<const Claimant> claimants);
  [[nodiscard]] double next_level(std::span<const Claimant> claimants) const;
  [[nodiscard]] bool is_held(const Claimant& claimant, double level) const;
  void freeze(std::span<const Claimant> claimants, double level);

  std::vector<double> free_;    ///< by resource: what frozen rates leave
  std::vector<double> weight_;  ///< by resource: what rising rates use of it, per unit of rate
  std::vector<int> touched_;
  std::vector<std::size_t> rising_;
  std::vector<double> rates_;
};

}  // namespace conccl::c3
