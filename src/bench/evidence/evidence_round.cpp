// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/evidence/evidence_round.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/evidence/verdict.hpp"
#include "bench/trace/gather_texts.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

/// A process's part of a verdict; it travels as bytes.
struct Part {
  Traffic traffic;
  bool recorded = false;
};

std::set<std::string> lines_of(const std::string& text) {
  std::set<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    lines.insert(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

EvidenceRound::EvidenceRound(Ranks& ranks, Workload& workload, const OpenTracer& open)
    : ranks_(ranks), workload_(workload) {
  try {
    tracer_ = open();
  } catch (const Unavailable& error) {
    reason_ = error.what();
  }
}

EvidenceRound::Look EvidenceRound::trace(const std::function<void()>& run) {
  std::string reason = reason_;
  if (reason.empty()) {
    try {
      tracer_->start();
    } catch (const Unavailable& error) {
      reason = error.what();
    }
  }
  run();
  return reason.empty() ? stop() : Look{{}, std::move(reason)};
}

EvidenceRound::Look EvidenceRound::stop() {
  try {
    return {tracer_->stop(), {}};
  } catch (const Unavailable& error) {
    return {{}, error.what()};
  }
}

void EvidenceRound::learn_gemm(const Configuration& gemm_alone) {
  const Look look = trace([&] { static_cast<void>(workload_.run_unchecked(gemm_alone)); });
  if (look.evidence) {
    gemm_kernels_.merge(kernel_names(*look.evidence));
  } else {
    reason_ = look.reason;
  }
}

RowEvidence EvidenceRound::look_at(const Configuration& configuration, const Parts& parts) {
  return look_at([&] { static_cast<void>(workload_.run_unchecked(configuration)); },
                 configuration.request, parts);
}

RowEvidence EvidenceRound::look_at(const std::function<void()>& run, const plan::Request& request,
                                   const Parts& parts) {
  const Look look = trace(run);
  return merge(look, parts.has_gemm() ? gemm_kernels_ : std::set<std::string>{}, request);
}

RowEvidence EvidenceRound::merge(const Look& look, const std::set<std::string>& allowed,
                                 const plan::Request& request) {
  const Evidence evidence = look.evidence.value_or(Evidence{});
  const auto kernels = without(kernel_names(evidence), allowed);
  // One part per process: the first of its ranks has it.
  std::vector<Part> local(ranks_.local_count());
  local[0] = {traffic_of(evidence), look.evidence.has_value()};
  const auto parts = ranks_.gather(local);
  const auto texts = gather_texts(
      ranks_, look.evidence ? fmt::format("{}", fmt::join(kernels, "\n")) : look.reason);

  Traffic traffic;
  std::set<std::string> all_kernels;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!parts[i].recorded) return no_evidence(fmt::format("process of rank {}: {}", i, texts[i]));
    traffic = traffic + parts[i].traffic;
    all_kernels.merge(lines_of(texts[i]));
  }
  RowEvidence row = verdict(traffic, all_kernels, expected_bytes(request));
  row.tracer = evidence.tracer;
  return row;
}

}  // namespace conccl::bench
