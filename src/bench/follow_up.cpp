// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/follow_up.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "bench/attribution/counterfactual.hpp"
#include "bench/evidence/evidence_round.hpp"
#include "bench/evidence/verdict.hpp"
#include "bench/sizing.hpp"

namespace conccl::bench {
namespace {

TraceHeading heading_of(const backend::Backend& backend) {
  const auto& capabilities = backend.capabilities();
  return {backend.machine().name, capabilities.emulation,
          capabilities.common_clock ? TraceClock::shared : TraceClock::per_rank};
}

std::vector<plan::Share> gemm_shares(std::span<const Measurement> rows) {
  std::vector<plan::Share> shares;
  for (const auto& row : rows) {
    const auto share = gemm_share(row.configuration);
    if (std::find(shares.begin(), shares.end(), share) == shares.end()) shares.push_back(share);
  }
  return shares;
}

/// Whose streams the tracer follows.
constexpr std::string_view kTraced = "CUDA";

std::string why_not_traced(const backend::Capabilities& capabilities) {
  if (capabilities.streams == kTraced) return {};
  return fmt::format("the tracer follows {} streams, which the {} backend has not", kTraced,
                     capabilities.backend);
}

}  // namespace

FollowUp::FollowUp(Ranks& ranks, const StudyOptions& options, const backend::Backend& backend)
    : ranks_(ranks),
      options_(options),
      wants_evidence_(options.evidence == EvidencePolicy::if_present &&
                      !backend.capabilities().emulation),
      no_tracer_(why_not_traced(backend.capabilities())),
      recorder_(heading_of(backend)) {}

void FollowUp::look(Workload& workload, std::span<const Measurement> rows,
                    std::span<Result> results) {
  if (wants_evidence_) look_for_evidence(workload, rows, results);
  if (options_.trace == TracePolicy::none) return;
  for (const auto& row : rows) recorder_.record(ranks_, workload, row.configuration, nullptr);
}

void FollowUp::look_for_evidence(Workload& workload, std::span<const Measurement> rows,
                                 std::span<Result> results) {
  if (!no_tracer_.empty()) {
    for (Result& result : results) result.evidence = no_evidence(no_tracer_);
    return;
  }
  EvidenceRound round(ranks_, workload);
  for (const auto& share : gemm_shares(rows)) {
    round.learn_gemm(gemm_alone(workload.request(), share));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    results[i].evidence = round.look_at(rows[i].configuration, rows[i].parts);
  }
}

std::string FollowUp::trace() const {
  return options_.trace == TracePolicy::record ? recorder_.json() : std::string();
}

}  // namespace conccl::bench
