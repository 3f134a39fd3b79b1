// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/collective_bench_compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace conccl::bench {
namespace {

/// Libraries whose times ours are divided by.
std::vector<std::string> others(const BenchRun& run) {
  std::vector<std::string> names = run.libraries;
  std::erase(names, kOwnLibrary);
  return names;
}

std::string wrong_text(const BenchLine& line, const BenchResult& own) {
  if (!own.wrong) return "N/A";
  std::uint64_t wrong = 0;
  for (const auto& each : line.results) {
    if (each.method != own.method || each.placement != own.placement) continue;
    wrong += each.wrong.value_or(0);
  }
  return fmt::format("{}", wrong);
}

std::string time_text(const BenchResult* result) {
  return result == nullptr ? "N/A" : fmt::format("{:.2f}", result->time_us().median);
}

std::string ratio_text(const BenchResult& own, const BenchResult* other) {
  if (other == nullptr) return "N/A";
  return fmt::format("{:.3f}", own.time_us().median / other->time_us().median);
}

std::string row(const CollectiveBenchOptions& options, const BenchRun& run, const BenchLine& line,
                const BenchResult& own) {
  std::string text =
      fmt::format("{:>13} {:>7} {:>13}", line.bytes, name_of(own.method), name_of(own.placement));
  const auto out = std::back_inserter(text);
  const auto result_of = [&](const std::string& library) {
    return line.find(library, own.method, own.placement);
  };
  for (const auto& library : run.libraries) {
    fmt::format_to(out, " {:>10}", time_text(result_of(library)));
  }
  for (const auto& library : others(run)) {
    fmt::format_to(out, " {:>9}", ratio_text(own, result_of(library)));
  }
  fmt::format_to(out, " {:>8.2f} {:>7}\n", busbw_gbps(line, own, options.ranks),
                 wrong_text(line, own));
  return text;
}

/// As far as the lines go, with the largest size first.
std::optional<Bytes> crossover(const BenchRun& run, const BenchResult& like,
                               const std::string& library) {
  std::optional<Bytes> from;
  for (auto line = run.lines.rbegin(); line != run.lines.rend(); ++line) {
    const auto* own = line->find(kOwnLibrary, like.method, like.placement);
    const auto* peer = line->find(library, like.method, like.placement);
    if (own == nullptr || peer == nullptr) break;
    if (own->time_us().median > peer->time_us().median) break;
    from = line->bytes;
  }
  return from;
}

}  // namespace

bool compares(const CollectiveBenchOptions& options, const BenchRun& run) {
  return options.methods.size() > 1 || run.libraries.size() > 1;
}

std::vector<Crossover> crossovers_of(const BenchRun& run) {
  std::vector<Crossover> list;
  if (run.lines.empty()) return list;
  for (const auto& result : run.lines.front().results) {
    if (result.library != kOwnLibrary) continue;
    for (const auto& library : others(run)) {
      if (library == kBareCopies) continue;
      list.push_back({library, result.method, result.placement, crossover(run, result, library)});
    }
  }
  return list;
}

std::string comparison_head(const BenchRun& run) {
  std::string text = fmt::format("#{:>12} {:>7} {:>13}", "size", "method", "");
  std::string units = fmt::format("#{:>12} {:>7} {:>13}", "(B)", "", "");
  for (const auto& library : run.libraries) {
    text += fmt::format(" {:>10}", library);
    units += fmt::format(" {:>10}", "(us)");
  }
  for (const auto& library : others(run)) {
    text += fmt::format(" {:>9}", "/" + library);
    units += fmt::format(" {:>9}", "");
  }
  const auto ratios = fmt::format("# /name: time of {} over that of the other\n", kOwnLibrary);
  return fmt::format("{}{} {:>8} {:>7}\n{} {:>8}\n", others(run).empty() ? "" : ratios, text,
                     "busbw", "#wrong", units, "(GB/s)");
}

std::string comparison_rows(const CollectiveBenchOptions& options, const BenchRun& run,
                            const BenchLine& line) {
  std::string text;
  for (const auto& result : line.results) {
    if (result.library == kOwnLibrary) text += row(options, run, line, result);
  }
  return text;
}

std::string crossover_lines(const BenchRun& run) {
  std::string text;
  const auto out = std::back_inserter(text);
  for (const auto& each : crossovers_of(run)) {
    fmt::format_to(out, "# {}, {}: {} is not slower than {} ", name_of(each.method),
                   name_of(each.placement), kOwnLibrary, each.library);
    if (!each.from) {
      fmt::format_to(out, "at no size up to the largest\n");
    } else if (*each.from == run.lines.front().bytes) {
      fmt::format_to(out, "at any size\n");
    } else {
      fmt::format_to(out, "from {} on\n", format_bytes(*each.from));
    }
  }
  return text;
}

}  // namespace conccl::bench
