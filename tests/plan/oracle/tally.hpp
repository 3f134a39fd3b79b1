// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Mutants counted by kind, and what is wrong with a verdict on one.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "conccl/plan/verify.hpp"
#include "tests/plan/oracle/interpreter.hpp"
#include "tests/plan/oracle/mutations.hpp"

namespace conccl::plan::oracle {

struct Count {
  int total = 0;
  int refused = 0;       ///< meaning changed, and refused
  int accepted = 0;      ///< harmless, and accepted
  int survivors = 0;     ///< meaning changed, but accepted
  int false_alarms = 0;  ///< harmless (or nothing wrong was found), but refused
  int undecided = 0;     ///< by the oracle
};

class Tally {
 public:
  void add(MutationKind kind, Meaning meaning, const Verdict& verdict);

  [[nodiscard]] const Count& of(MutationKind kind) const { return counts_.at(kind); }
  [[nodiscard]] Count sum() const;
  /// A table, one line per kind. `alarms` is what the column of `Count::false_alarms` is called.
  [[nodiscard]] std::string text(std::string_view alarms) const;

 private:
  std::map<MutationKind, Count> counts_;
};

/// What `complaint` does not say about `plan` but should; empty: nothing.
[[nodiscard]] std::string flaw_of(const Complaint& complaint, const Plan& plan);

}  // namespace conccl::plan::oracle
