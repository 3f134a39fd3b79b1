// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "bench/collective_bench_compare.hpp"
#include "bench/collective_bench_totals.hpp"
#include "conccl/bench/collective_bench.hpp"

namespace conccl::bench {
namespace {

constexpr int kSides = 2;  // out of place, in place

std::string side_text(const CollectiveBenchOptions& options, const BenchLine& line,
                      plan::Placement placement) {
  const auto* side = line.find(kOwnLibrary, options.methods.front(), placement);
  if (side == nullptr) {
    return fmt::format("  {:>9} {:>7} {:>7} {:>6}", "N/A", "N/A", "N/A", "N/A");
  }
  return fmt::format("  {:>9.2f} {:>7.2f} {:>7.2f} {:>6}", side->time_us().median,
                     algbw_gbps(line, *side), busbw_gbps(line, *side, options.ranks),
                     side->wrong ? fmt::format("{}", *side->wrong) : "N/A");
}

std::string outcome(const BenchTotals& totals) {
  if (totals.checked == 0) return "not checked";
  return fmt::format("{} {}", totals.wrong, totals.wrong == 0 ? "OK" : "FAILED");
}

std::string peer_lines(const CollectiveBenchOptions& options, const BenchRun& run) {
  std::string text;
  for (const auto& peer : run.peers) {
    if (peer.reason.empty()) {
      text += fmt::format("# {} {}: {}\n", peer.name, peer.version, fmt::join(peer.notes, "; "));
    } else if (options.peers && std::ranges::count(*options.peers, peer.name) > 0) {
      text += fmt::format("# {} is left out: {}\n", peer.name, peer.reason);
    }
  }
  return text;
}

std::string settings(const CollectiveBenchOptions& options) {
  std::vector<std::string_view> methods;
  for (const auto method : options.methods) methods.push_back(name_of(method));
  return fmt::format(
      "# {}, {} ranks, minBytes {} maxBytes {} step: {}({}) warmup iters: {} iters: {} "
      "validation: {}\n# method: {}; median of {} rounds in an order shuffled by seed {}; "
      "time of the slowest rank\n",
      plan::name_of(options.collective), options.ranks, options.min_bytes, options.max_bytes,
      options.factor != 0 ? static_cast<Bytes>(options.factor) : options.step_bytes,
      options.factor != 0 ? "factor" : "bytes", options.warmup, options.iterations, options.checks,
      fmt::join(methods, ", "), options.rounds, options.seed);
}

std::string columns() {
  std::string text = fmt::format("#{:>78}{:>33}\n", "out-of-place", "in-place");
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "#{:>12} {:>13} {:>10} {:>7} {:>7}", "size", "count", "type", "redop",
                 "root");
  for (int side = 0; side < kSides; ++side) {
    fmt::format_to(out, "  {:>9} {:>7} {:>7} {:>6}", "time", "algbw", "busbw", "#wrong");
  }
  const std::string units = fmt::format("  {:>9} {:>7} {:>7}", "(us)", "(GB/s)", "(GB/s)");
  fmt::format_to(out, "\n#{:>12} {:>13}{:>26}{}{:>7}{}\n", "(B)", "(elements)", "", units, "",
                 units);
  return text;
}

std::string enqueue_lines(const BenchRun& run) {
  std::string text;
  for (const auto& cost : run.enqueue) {
    text += fmt::format(
        "# Enqueue, {} {:<9} : {:.2f} us of the thread's time, {:.2f} us by the clock\n",
        cost.library, cost.buffers, cost.cpu_us.median, cost.wall_us.median);
  }
  return text;
}

}  // namespace

std::string bench_head(const CollectiveBenchOptions& options, const BenchRun& run) {
  return settings(options) + peer_lines(options, run) + "#\n" +
         (compares(options, run) ? comparison_head(run) : columns());
}

std::string bench_row(const CollectiveBenchOptions& options, const BenchRun& run,
                      const BenchLine& line) {
  if (compares(options, run)) return comparison_rows(options, run, line);
  return fmt::format("{:>13} {:>13} {:>10} {:>7} {:>7}{}{}\n", line.bytes, line.count,
                     name_of(options.type), "none", -1,
                     side_text(options, line, plan::Placement::out_of_place),
                     side_text(options, line, plan::Placement::in_place));
}

std::string bench_foot(const CollectiveBenchOptions& options, const BenchRun& run) {
  const auto totals = totals_of(run.lines, options.ranks);
  return fmt::format("# Out of bounds values : {}\n# Avg bus bandwidth    : {:.6g}\n{}{}#\n",
                     outcome(totals), totals.average_busbw(), crossover_lines(run),
                     enqueue_lines(run));
}

}  // namespace conccl::bench
