// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Collects complaints, up to a limit, and writes their texts.
#pragma once

#include <string>
#include <vector>

#include "conccl/plan/verify.hpp"
#include "plan/verify/lanes.hpp"

namespace conccl::plan {

/// Refers to the plan and the lanes, which must outlive it.
class Report {
 public:
  /// Keeps one complaint even if `max_complaints` is 0: none would read as accepted.
  Report(const Plan& plan, const LaneTable& lanes, std::size_t max_complaints);

  /// A fault of a step. `range` is where its bytes are (empty when it touches none).
  void add(Fault fault, Event event, const Range& range, const std::string& what);
  /// A fault of no step; complains at rank `range.rank`.
  void add(Fault fault, const Range& range, const std::string& what);

  [[nodiscard]] bool empty() const { return complaints_.empty(); }
  [[nodiscard]] bool full() const { return complaints_.size() >= max_complaints_; }
  [[nodiscard]] std::vector<Complaint> take() { return std::move(complaints_); }

  /// "rank 2 lane 0 step 17 (copy send+0 -> rank 1 recv+0, 64 bytes)".
  [[nodiscard]] std::string text_of(Event event) const;

 private:
  const Plan& plan_;
  const LaneTable& lanes_;
  std::size_t max_complaints_;
  std::vector<Complaint> complaints_;
};

/// "rank 1 recv [0, 64)".
[[nodiscard]] std::string text_of(const Range& range);
/// "rank 1 recv+64".
[[nodiscard]] std::string text_of(const Ref& ref);

}  // namespace conccl::plan
