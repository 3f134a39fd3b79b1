// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `TraceRecorder`: runs whose timelines end up in one trace file (`--trace FILE`).
#pragma once

#include <string>
#include <vector>

#include "bench/evidence/tracer.hpp"
#include "bench/trace/trace_json.hpp"
#include "bench/workload.hpp"

namespace conccl::bench {

/// Records rounds of their own, behind the measured ones: a timeline costs time. All calls but
/// `json` are collective.
class TraceRecorder {
 public:
  explicit TraceRecorder(TraceHeading heading);

  /// Runs `configuration` once, unchecked, on all ranks. What one rank recorded is on all processes
  /// afterwards. `tracer` may be null; records it loses are left out, with a line in the log.
  /// Throws what the run throws.
  void record(Ranks& ranks, Workload& workload, const Configuration& configuration, Tracer* tracer);

  /// What was recorded so far; the same on every process.
  [[nodiscard]] std::string json() const { return trace_json(heading_, runs_); }
  [[nodiscard]] const std::vector<TracedRun>& runs() const { return runs_; }

 private:
  TraceHeading heading_;
  std::vector<TracedRun> runs_;
};

/// Runs `configuration` once and returns every rank's spans, each rank's on its own device's clock.
/// Collective.
[[nodiscard]] plan::Timeline trace_run(Ranks& ranks, Workload& workload,
                                       const Configuration& configuration);

}  // namespace conccl::bench
