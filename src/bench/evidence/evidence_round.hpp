// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `EvidenceRound`: a round of its own in which a tracer looks at each configuration.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "bench/evidence/tracer.hpp"
#include "bench/workload.hpp"

namespace conccl::bench {

/// To be made behind a scenario's measured rounds and destroyed before the next scenario's: while
/// it lives, the tracer may slow every launch of the process. All calls are collective: every
/// process of a run makes the same ones and gets the same verdicts. Where a process has no tracer,
/// runs go on and every verdict says why it is none.
class EvidenceRound {
 public:
  /// All must outlive the round.
  EvidenceRound(Ranks& ranks, Workload& workload, const OpenTracer& open = open_cupti);

  /// Runs the isolated GEMM, whose kernels rows with a GEMM may run. Once for every share of the
  /// units that rows give to the GEMM: each may have kernels of its own.
  void learn_gemm(const Configuration& gemm_alone);

  /// Runs `configuration` once, unchecked, and says what carried its collective. Throws what the
  /// run throws.
  [[nodiscard]] RowEvidence look_at(const Configuration& configuration, const Parts& parts);
  /// The same for what is no configuration: `run` runs `request` on all ranks and waits for it.
  [[nodiscard]] RowEvidence look_at(const std::function<void()>& run, const plan::Request& request,
                                    const Parts& parts);

 private:
  /// What this process has on record, or why nothing.
  struct Look {
    std::optional<Evidence> evidence;
    std::string reason;
  };
  [[nodiscard]] Look trace(const std::function<void()>& run);
  [[nodiscard]] Look stop();
  [[nodiscard]] RowEvidence merge(const Look& look, const std::set<std::string>& allowed,
                                  const plan::Request& request);

  Ranks& ranks_;
  Workload& workload_;
  std::unique_ptr<Tracer> tracer_;
  std::string reason_;  ///< why there is no tracer, or what learning the GEMM's kernels failed of
  std::set<std::string> gemm_kernels_;
};

}  // namespace conccl::bench
