// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "bench/json.hpp"
#include "conccl/bench/attribution.hpp"

namespace conccl::bench {
namespace {

Json json_of(const std::optional<ClockFigures>& clocks) {
  if (!clocks) return nullptr;
  return {{"alone_ghz", clocks->alone_ghz},
          {"together_ghz", clocks->together_ghz},
          {"alone_zero_ghz", clocks->alone_zero_ghz},
          {"together_zero_ghz", clocks->together_zero_ghz},
          {"elasticity", clocks->elasticity}};
}

std::string causes_text(const Attribution& attribution) {
  std::string text;
  for (const Cause& cause : attribution.causes)
    text += fmt::format("{} {:.4f}, ", cause.name, cause.ms);
  return text;
}

}  // namespace

std::string to_json(const Attribution& attribution) {
  Json causes = Json::array();
  for (const Cause& cause : attribution.causes) {
    causes.push_back({{"name", cause.name}, {"ms", cause.ms}});
  }
  const Json json = {{"last", name_of(attribution.last)},
                     {"rank", attribution.rank},
                     {"lost_ms", attribution.loss.lost_ms},
                     {"spread_ms", attribution.loss.spread_ms},
                     {"slack_ms", attribution.slack_ms},
                     {"causes", causes},
                     {"unexplained_ms", attribution.unexplained_ms},
                     {"explained", explained_share(attribution)},
                     {"clocks", json_of(attribution.clocks)},
                     {"notes", attribution.notes}};
  return line_of(json);
}

std::string to_text(const Attribution& attribution) {
  const bool gemm = attribution.last == LastTask::gemm;
  std::string text =
      fmt::format("{}: {}: lost {:.4f} ms (spread {:.4f}), {} last, on rank {}; slack {:.4f}\n",
                  attribution.scenario, attribution.strategy, attribution.loss.lost_ms,
                  attribution.loss.spread_ms, gemm ? "the GEMM" : "the collective",
                  attribution.rank, attribution.slack_ms);
  text += fmt::format("  {}unexplained {:.4f} ms: {:.0f} % explained\n", causes_text(attribution),
                      attribution.unexplained_ms, 100 * explained_share(attribution));
  if (const auto& clocks = attribution.clocks) {
    text += fmt::format(
        "  clock {:.3f} -> {:.3f} GHz, zero operands {:.3f} -> {:.3f}, elasticity {:.2f}\n",
        clocks->alone_ghz, clocks->together_ghz, clocks->alone_zero_ghz, clocks->together_zero_ghz,
        clocks->elasticity);
  }
  for (const auto& note : attribution.notes) text += fmt::format("  {}\n", note);
  return text;
}

std::string to_text(const AttributionSummary& summary) {
  if (summary.count == 0) return "attribution: no loss above 3 times its spread\n";
  return fmt::format(
      "attribution: causes explain at least {:.0f} % of {} of {} losses (median {:.0f} %, least "
      "{:.0f} %: {})\n",
      100 * kShareToExplain, summary.explained, summary.count, 100 * summary.median_share,
      100 * summary.least_share, summary.least);
}

}  // namespace conccl::bench
