// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The verifier: proves, without running, that a plan does what its request asks for in every
/// interleaving, and ends. docs/verifier.md gives the argument; `verify` is its one entry.
#pragma once

#include <string>
#include <vector>

#include "conccl/plan/plan.hpp"

namespace conccl::plan {

enum class Fault {
  malformed,      ///< a rank, flag, task or buffer that does not exist; a copy with no local end
  out_of_bounds,  ///< a reference beyond its buffer
  flag_reuse,     ///< a flag raised by more than one step
  deadlock,       ///< a wait that no order of events ends
  race,           ///< two accesses, one a write, that nothing orders
  wrong_bytes,    ///< bytes missing, from the wrong origin, or a send buffer changed
  undecided,      ///< the work limit was reached before a proof: refused
};

/// One reason to refuse. `lane` and `step` are -1 when the fault belongs to no step (a rank's start
/// or end, bytes that never arrive). [begin, end) is the byte range in `buffer` of `buffer_rank`.
struct Complaint {
  Fault fault = Fault::malformed;
  int rank = 0;
  int lane = -1;
  int step = -1;
  int buffer_rank = 0;
  BufferKind buffer = BufferKind::recv;
  Bytes begin = 0;
  Bytes end = 0;
  std::string text;  ///< one line: what, where (rank, lane, step, byte range), what was expected
};

struct VerifyOptions {
  std::size_t max_complaints = 16;  ///< stop after so many
  /// Work beyond one pass over the steps before the answer is `undecided`, in steps that the exact
  /// order search visits; overlaps compared and pieces of buffers followed count for several.
  std::size_t search_limit = 4'000'000'000;
};

/// What the proof cost.
struct VerifyCost {
  std::size_t steps = 0;
  std::size_t conflicting_pairs = 0;  ///< pairs compared; those implied by others are not
  std::size_t local_answers = 0;      ///< order queries answered by the local search
  std::size_t exact_searches = 0;     ///< order queries that needed the exact one
};

struct Verdict {
  std::vector<Complaint> complaints;
  VerifyCost cost;

  [[nodiscard]] bool accepted() const { return complaints.empty(); }
};

/// Accepts a plan only if: references are in bounds; every wait ends; any two conflicting accesses
/// are ordered, where a rank's start counts as a write of all its buffers and its end as a read and
/// write of them; recv of every rank ends as `expectation(plan.request, rank)` says and send as it
/// began. The plan followed by itself is then safe too, since every access to a rank's buffers lies
/// between that rank's start and end, and flags carry growing sequence numbers with one writer
/// each. Never throws for a bad plan; cost grows with steps plus conflicting pairs.
[[nodiscard]] Verdict verify(const Plan& plan, const VerifyOptions& options = {});

[[nodiscard]] std::string_view name_of(Fault fault);

}  // namespace conccl::plan
