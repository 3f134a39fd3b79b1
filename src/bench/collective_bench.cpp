// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/bench/collective_bench.hpp"

#include <fmt/format.h>

#include "bench/collective_bench_ranks.hpp"
#include "bench/workload.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

using plan::Placement;

/// What checks of one side of a line found.
struct Found {
  std::optional<std::uint64_t> wrong;
  std::string first;  ///< one line for the first wrong byte; empty: none
};

void require_at_least(std::string_view what, std::int64_t value, std::int64_t least) {
  if (value < least) {
    throw InputError(fmt::format("{}: {} is not at least {}", what, value, least));
  }
}

void validate(const CollectiveBenchOptions& options) {
  require_at_least("ranks", options.ranks, 1);
  require_at_least("iterations", options.iterations, 1);
  require_at_least("warm-up iterations", options.warmup, 0);
  require_at_least("checked iterations", options.checks, 0);
  if (options.min_bytes > options.max_bytes) {
    throw InputError(fmt::format("sizes: the smallest, {}, is over the largest, {}",
                                 format_bytes(options.min_bytes), format_bytes(options.max_bytes)));
  }
  if (options.factor == 0 && options.step_bytes == 0) {
    throw InputError("sizes: expected a factor of at least 2 or an increment of at least 1 byte");
  }
  if (options.factor != 0) require_at_least("size factor", options.factor, 2);
  if (options.factor != 0 && options.min_bytes == 0 && options.max_bytes > 0) {
    throw InputError("sizes: a factor leads nowhere from 0 bytes; expected an increment");
  }
}

/// The sizes asked for, ascending. No product or sum leaves the range.
std::vector<Bytes> sizes_of(const CollectiveBenchOptions& options) {
  std::vector<Bytes> sizes;
  for (Bytes bytes = options.min_bytes;;) {
    sizes.push_back(bytes);
    const Bytes largest = options.max_bytes;
    if (options.factor != 0) {
      const auto factor = static_cast<Bytes>(options.factor);
      if (bytes == 0 || bytes > largest / factor) return sizes;
      bytes *= factor;
    } else {
      if (options.step_bytes > largest - bytes) return sizes;
      bytes += options.step_bytes;
    }
  }
}

Bytes block_of(const CollectiveBenchOptions& options, Bytes bytes) {
  const Bytes unit = size_of(options.type);
  return bytes / unit / static_cast<Bytes>(options.ranks) * unit;
}

comm::Options communicator_options(const CollectiveBenchOptions& options) {
  comm::Options result;
  result.name = "bench";
  result.policy = options.policy;
  result.direction = options.direction;
  result.deadline = options.deadline;
  return result;
}

std::string_view name_of(Placement placement) {
  return placement == Placement::in_place ? "in place" : "out of place";
}

Found check(CollectiveRanks& ranks, const CollectiveBenchOptions& options,
            const plan::Request& request) {
  Found found;
  if (options.checks == 0) return found;
  found.wrong = 0;
  for (int i = 0; i < options.checks; ++i) {
    const auto results = ranks.check(request);
    for (std::size_t rank = 0; rank < results.size(); ++rank) {
      const auto& result = results[rank];
      if (result.mismatches == 0) continue;
      const Bytes unit = size_of(options.type);
      *found.wrong += (result.mismatches + unit - 1) / unit;
      if (!found.first.empty()) continue;
      found.first = fmt::format("{} of {} bytes, {}: {}", plan::name_of(request.collective),
                                plan::total_bytes(request), name_of(request.placement),
                                mismatch_text(result, static_cast<int>(rank)));
    }
  }
  return found;
}

BenchSide time(CollectiveRanks& ranks, const CollectiveBenchOptions& options,
               const plan::Request& request) {
  static_cast<void>(ranks.time(request, options.warmup));
  const Seconds seconds = ranks.time(request, options.iterations);
  BenchSide side;
  side.time_us = seconds.count() * 1e6;
  side.algbw_gbps = static_cast<double>(plan::total_bytes(request)) / seconds.count() / 1e9;
  side.busbw_gbps =
      side.algbw_gbps * static_cast<double>(options.ranks - 1) / static_cast<double>(options.ranks);
  return side;
}

/// Both sides of one size. Throws CheckFailed once `line` has been handed the result.
BenchLine run_size(CollectiveRanks& ranks, const CollectiveBenchOptions& options,
                   plan::Request request, const std::function<void(const BenchLine&)>& line) {
  BenchLine result;
  result.bytes = plan::total_bytes(request);
  result.count = request.block / size_of(options.type);
  result.out_of_place = time(ranks, options, request);
  const Found out = check(ranks, options, request);
  result.out_of_place.wrong = out.wrong;
  Found in;
  if (request.collective == plan::Collective::all_gather) {
    request.placement = Placement::in_place;
    result.in_place = time(ranks, options, request);
    in = check(ranks, options, request);
    result.in_place->wrong = in.wrong;
  }
  if (line) line(result);
  const auto& first = out.first.empty() ? in.first : out.first;
  if (!first.empty()) throw CheckFailed(first);
  return result;
}

}  // namespace

std::vector<BenchLine> run_collective_bench(backend::Backend& backend,
                                            const CollectiveBenchOptions& options,
                                            const std::function<void(const BenchLine&)>& line,
                                            const std::atomic<bool>* interrupt) {
  validate(options);
  const auto sizes = sizes_of(options);
  Ranks ranks = Ranks::open(backend, options.launch, options.ranks, communicator_options(options));
  std::vector<BenchLine> lines;
  lines.reserve(sizes.size());
  ranks.run_together([&] {
    CollectiveRanks collective(ranks, options, block_of(options, sizes.back()), interrupt);
    for (const Bytes bytes : sizes) {
      const plan::Request request{options.collective, options.ranks, block_of(options, bytes),
                                  Placement::out_of_place};
      lines.push_back(run_size(collective, options, request, line));
    }
  });
  return lines;
}

}  // namespace conccl::bench
