// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `FollowUp`: what a study looks at behind a scenario's measured rounds, in rounds of its own.
#pragma once

#include <span>
#include <string>

#include "bench/measurement.hpp"
#include "bench/trace/trace_recorder.hpp"
#include "conccl/bench/study.hpp"

namespace conccl::bench {

/// Evidence of what carried the collectives, and traces. Every process of a run makes the same
/// calls.
class FollowUp {
 public:
  /// `ranks` and `options` must outlive it.
  FollowUp(Ranks& ranks, const StudyOptions& options, const backend::Backend& backend);

  /// `rows` are the measurements of `results`, one each.
  void look(Workload& workload, std::span<const Measurement> rows, std::span<Result> results);

  /// Everything traced so far; empty unless asked for.
  [[nodiscard]] std::string trace() const;

 private:
  void look_for_evidence(Workload& workload, std::span<const Measurement> rows,
                         std::span<Result> results);

  Ranks& ranks_;
  const StudyOptions& options_;
  bool wants_evidence_;
  std::string no_tracer_;  ///< why nothing on this backend can be traced; empty: it can
  TraceRecorder recorder_;
};

}  // namespace conccl::bench
