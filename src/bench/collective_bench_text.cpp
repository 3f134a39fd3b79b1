// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "conccl/bench/collective_bench.hpp"

namespace conccl::bench {
namespace {

using Json = nlohmann::ordered_json;

std::string wrong_text(const std::optional<std::uint64_t>& wrong) {
  return wrong ? fmt::format("{}", *wrong) : "N/A";
}

std::string side_text(const std::optional<BenchSide>& side) {
  if (!side) return fmt::format("  {:>9} {:>7} {:>7} {:>6}", "N/A", "N/A", "N/A", "N/A");
  return fmt::format("  {:>9.2f} {:>7.2f} {:>7.2f} {:>6}", side->time_us, side->algbw_gbps,
                     side->busbw_gbps, wrong_text(side->wrong));
}

/// Over lines and the sides they have.
struct Totals {
  double busbw_gbps = 0;
  std::size_t sides = 0;
  std::uint64_t wrong = 0;
  std::size_t checked = 0;

  void add(const BenchSide& side) {
    busbw_gbps += side.busbw_gbps;
    ++sides;
    wrong += side.wrong.value_or(0);
    if (side.wrong) ++checked;
  }
  [[nodiscard]] double average_busbw() const {
    return sides == 0 ? 0 : busbw_gbps / static_cast<double>(sides);
  }
};

Totals totals_of(const std::vector<BenchLine>& lines) {
  Totals totals;
  for (const auto& line : lines) {
    totals.add(line.out_of_place);
    if (line.in_place) totals.add(*line.in_place);
  }
  return totals;
}

std::string outcome(const Totals& totals) {
  if (totals.checked == 0) return "not checked";
  return fmt::format("{} {}", totals.wrong, totals.wrong == 0 ? "OK" : "FAILED");
}

Json json_of(const std::optional<BenchSide>& side) {
  if (!side) return nullptr;
  return {{"time_us", side->time_us},
          {"algbw_gbps", side->algbw_gbps},
          {"busbw_gbps", side->busbw_gbps},
          {"wrong", side->wrong ? Json(*side->wrong) : Json(nullptr)}};
}

}  // namespace

std::string bench_head(const CollectiveBenchOptions& options) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(
      out,
      "# {}, {} ranks, minBytes {} maxBytes {} step: {}({}) warmup iters: {} iters: {} "
      "validation: {}\n#\n",
      plan::name_of(options.collective), options.ranks, options.min_bytes, options.max_bytes,
      options.factor != 0 ? static_cast<Bytes>(options.factor) : options.step_bytes,
      options.factor != 0 ? "factor" : "bytes", options.warmup, options.iterations, options.checks);
  fmt::format_to(out, "#{:>78}{:>33}\n", "out-of-place", "in-place");
  fmt::format_to(out, "#{:>12} {:>13} {:>10} {:>7} {:>7}", "size", "count", "type", "redop",
                 "root");
  for (int side = 0; side < 2; ++side) {
    fmt::format_to(out, "  {:>9} {:>7} {:>7} {:>6}", "time", "algbw", "busbw", "#wrong");
  }
  const std::string units = fmt::format("  {:>9} {:>7} {:>7}", "(us)", "(GB/s)", "(GB/s)");
  fmt::format_to(out, "\n#{:>12} {:>13}{:>26}{}{:>7}{}", "(B)", "(elements)", "", units, "", units);
  return text + "\n";
}

std::string bench_row(const CollectiveBenchOptions& options, const BenchLine& line) {
  return fmt::format("{:>13} {:>13} {:>10} {:>7} {:>7}{}{}\n", line.bytes, line.count,
                     name_of(options.type), "none", -1, side_text(line.out_of_place),
                     side_text(line.in_place));
}

std::string bench_foot(const std::vector<BenchLine>& lines) {
  const Totals totals = totals_of(lines);
  return fmt::format("# Out of bounds values : {}\n# Avg bus bandwidth    : {:.6g}\n#\n",
                     outcome(totals), totals.average_busbw());
}

std::string bench_json(const CollectiveBenchOptions& options, const BenchRun& run) {
  Json json = {{"schema", kBenchSchema},
               {"partial", run.partial},
               {"emulation", run.emulation},
               {"machine", run.machine},
               {"collective", plan::name_of(options.collective)},
               {"launch", name_of(options.launch)},
               {"ranks", options.ranks},
               {"type", name_of(options.type)},
               {"iterations", options.iterations},
               {"warmup", options.warmup},
               {"checks", options.checks},
               {"seed", options.seed},
               {"lines", Json::array()},
               {"average_busbw_gbps", totals_of(run.lines).average_busbw()}};
  for (const auto& line : run.lines) {
    json["lines"].push_back({{"bytes", line.bytes},
                             {"count", line.count},
                             {"out_of_place", json_of(line.out_of_place)},
                             {"in_place", json_of(line.in_place)}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace conccl::bench
