// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "conccl/bench/report_print.hpp"

namespace conccl::bench {
namespace {

using Out = std::back_insert_iterator<std::string>;

constexpr std::size_t kStrategyWidth = 10;
constexpr int kNameWidth = 13;
constexpr std::string_view kLeftOut = "-";
constexpr const char* kExtrapolated = "*";

std::string percent_text(const std::optional<double>& percent) {
  return percent ? fmt::format("{:.0f}", *percent) : std::string(kLeftOut);
}

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.3f}", *ratio) : std::string(kLeftOut);
}

/// Of the table's column for a strategy.
std::size_t width_of(const std::string& strategy) {
  return std::max(kStrategyWidth, strategy.size() + 1);
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void write_summary(Out out, const Report& report) {
  const auto all = summarize_strategies(report);
  fmt::format_to(out, "\n{:<{}} {:>9} {:>9} {:>10}", "summary", kNameWidth, "scenarios", "left out",
                 "speedup");
  fmt::format_to(out, " {:>10} {:>10} {:>9}", "% of ideal", "% of base", "/ nccl_ce");
  for (const auto collective : plan::all_collectives()) {
    fmt::format_to(out, " {:>11}", plan::name_of(collective));
  }
  fmt::format_to(out, "\n");
  for (const auto& row : all) {
    fmt::format_to(out, "{:<{}} {:>9} {:>9} {:>10.3f} {:>10} {:>10} {:>9}", row.strategy,
                   kNameWidth, row.scenarios, row.left_out, row.speedup, percent_text(row.percent),
                   percent_text(row.baseline_percent), ratio_text(row.over_vendor_copies));
    for (const auto collective : plan::all_collectives()) {
      const auto part = summarize_strategies(report, collective);
      const auto found = std::find_if(part.begin(), part.end(), [&row](const StrategySummary& s) {
        return s.strategy == row.strategy;
      });
      fmt::format_to(out, " {:>11}",
                     found == part.end() ? std::string(kLeftOut) : percent_text(found->percent));
    }
    fmt::format_to(out, "\n");
  }
}

void write_peers(Out out, const Report& report) {
  for (const auto& peer : report.peers) {
    if (!peer.reason.empty()) continue;
    fmt::format_to(out, "peer        {} {}\n", peer.name, peer.version);
    for (const auto& note : peer.notes) fmt::format_to(out, "            {}\n", note);
  }
}

/// What the columns about a vendor's library mean, where there is one.
void write_vendor_columns(Out out, const Report& report) {
  if (report.predicted) fmt::format_to(out, "% of base: with the ideal of the vendor's kernels\n");
  const bool beside = std::any_of(report.peers.begin(), report.peers.end(),
                                  [](const PeerFacts& peer) { return peer.reason.empty(); });
  if (!beside) return;
  fmt::format_to(out,
                 "% of base: with the ideal of the vendor's kernels; / nccl_ce: T_c3 over that of "
                 "its copy-engine mode (geometric mean)\n");
}

void write_classes(Out out, const Report& report) {
  const auto rows = rows_of(report);
  constexpr std::array kBalances = {c3::Balance::g_long, c3::Balance::c_long,
                                    c3::Balance::gc_equal};
  for (const auto collective : plan::all_collectives()) {
    std::string text;
    for (const auto balance : kBalances) {
      const auto count = std::count_if(rows.begin(), rows.end(), [&](const auto& row) {
        return row.front().collective == collective && row.front().balance == balance;
      });
      if (count > 0) text += fmt::format(", {} {}", count, c3::name_of(balance));
    }
    if (!text.empty()) {
      fmt::format_to(out, "classes     {}: {}\n", plan::name_of(collective), text.substr(2));
    }
  }
}

void write_checks(Out out, const Report& report) {
  CheckCounts total;
  for (const auto& result : report.results) total += result.check;
  fmt::format_to(out, "checked     {} bytes of collectives, {} wrong; GEMM results: {} wrong\n",
                 total.bytes, total.mismatches, total.gemm_mismatches);
}

/// Why percents have a star, each reason once.
void write_extrapolated(Out out, const Report& report) {
  std::set<std::string> told;
  for (const auto& result : report.results) {
    for (const auto& line : result.extrapolated) {
      if (!told.insert(line).second) continue;
      fmt::format_to(out, "{}           extrapolated: {}\n", kExtrapolated, line);
    }
  }
}

void write_attribution(Out out, const Report& report) {
  std::vector<Attribution> all;
  for (const auto& result : report.results) {
    if (result.attribution) all.push_back(*result.attribution);
  }
  for (const auto& each : all) fmt::format_to(out, "{}", to_text(each));
  if (!all.empty()) fmt::format_to(out, "{}", to_text(summarize_attributions(all)));
}

/// Per strategy whose rows the tracer saw: how many collectives copy engines carried.
void write_evidence(Out out, const Report& report) {
  std::map<std::string, std::pair<int, int>> seen;
  for (const auto& result : report.results) {
    if (!result.evidence || result.evidence->carrier == Carrier::unknown) continue;
    auto& [by_engines, all] = seen[result.strategy];
    by_engines += result.evidence->carrier == Carrier::copy_engines ? 1 : 0;
    ++all;
  }
  for (const auto& [strategy, counts] : seen) {
    fmt::format_to(out, "evidence    {}: carried by copy engines alone in {} of {}\n", strategy,
                   counts.first, counts.second);
  }
  for (const auto& result : report.results) {
    if (!result.evidence || result.evidence->carrier != Carrier::unknown) continue;
    fmt::format_to(out, "evidence    {}: {}\n", result.strategy, result.evidence->text);
    return;
  }
}

}  // namespace

std::string table_head(const Report& report) {
  std::string text;
  const Out out = std::back_inserter(text);
  if (report.emulation) fmt::format_to(out, "host emulation: shows function, not hardware\n");
  if (report.scaled) {
    fmt::format_to(out,
                   "sizes are not the suite's: GEMMs are scaled to some milliseconds, and bytes to "
                   "keep T_comm / T_gemm\n");
  }
  if (report.predicted) fmt::format_to(out, "a model's figures: nothing was measured here\n");
  fmt::format_to(out, "machine     {}, backend {}, {}\n", report.machine.name,
                 report.machine.backend, counted(static_cast<std::size_t>(report.ranks), "rank"));
  if (!report.predicted) fmt::format_to(out, "gemm        {}\n", report.gemm_library);
  fmt::format_to(out, "suite       {}, hash {}\n", report.suite, report.suite_hash);
  if (!report.predicted) {
    fmt::format_to(out, "rounds      {} warm-up, {} measured, seed {}{}\n", report.warmup,
                   report.rounds, report.seed,
                   report.rest > 0 ? fmt::format(", rests of {} times each run", report.rest) : "");
  }
  write_peers(out, report);
  fmt::format_to(out,
                 "columns     times in ms (median, slowest rank); T_comm: the fastest isolated "
                 "collective;\n            ideal: speedup of a perfect overlap; then percent of "
                 "ideal per strategy, - where the ideal is below {}\n",
                 c3::kLeastIdeal);
  return text;
}

std::string table_titles(const std::vector<std::string>& strategies) {
  std::string text = fmt::format("{:<26} {:<4} {:<11} {:<9} {:>8} {:>8} {:>6}", "scenario", "type",
                                 "collective", "class", "T_gemm", "T_comm", "ideal");
  for (const auto& name : strategies) text += fmt::format("{:>{}}", name, width_of(name));
  return text + "\n";
}

std::string table_row(const std::vector<Result>& of_one_scenario) {
  if (of_one_scenario.empty()) return {};
  const Result& first = of_one_scenario.front();
  std::string text = fmt::format("{:<26} {:<4} {:<11} {:<9} {:>8.3f} {:>8.3f} {:>6.3f}",
                                 first.scenario, name_of(first.gemm.type),
                                 plan::name_of(first.collective), c3::name_of(first.balance),
                                 first.t_gemm_ms.median, first.own.t_comm_ms, first.own.ideal);
  for (const auto& result : of_one_scenario) {
    const auto percent = percent_text(result.own.percent);
    text += fmt::format("{:>{}}", result.extrapolated.empty() ? percent : percent + kExtrapolated,
                        width_of(result.strategy));
  }
  return text + "\n";
}

std::string table_foot(const Report& report) {
  std::string text;
  const Out out = std::back_inserter(text);
  write_summary(out, report);
  write_vendor_columns(out, report);
  fmt::format_to(out, "\n");
  write_classes(out, report);
  if (!report.predicted) write_checks(out, report);
  write_extrapolated(out, report);
  write_evidence(out, report);
  write_attribution(out, report);
  for (const auto& sustained : report.sustained) fmt::format_to(out, "{}", to_text(sustained));
  for (const auto& skipped : report.skipped) {
    const auto& what = skipped.scenario.empty() ? skipped.strategy : skipped.scenario;
    fmt::format_to(out, "skipped     {}: {}\n", what, skipped.reason);
  }
  if (report.partial) {
    fmt::format_to(out, "partial     the run ended early; {} finished\n",
                   counted(rows_of(report).size(), "scenario"));
  }
  return text;
}

}  // namespace conccl::bench
