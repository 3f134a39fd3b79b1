// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/collective_bench_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

constexpr std::array<std::string_view, 2> kPeerNames = {"nccl", "nccl_ce"};

void require_at_least(std::string_view what, std::int64_t value, std::int64_t least) {
  if (value < least) {
    throw InputError(fmt::format("{}: {} is not at least {}", what, value, least));
  }
}

void validate_sizes(const CollectiveBenchOptions& options) {
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

void validate_methods(const CollectiveBenchOptions& options) {
  const auto& methods = options.methods;
  if (methods.empty()) throw InputError("methods: expected at least one");
  for (auto method = methods.begin(); method != methods.end(); ++method) {
    if (std::find(std::next(method), methods.end(), *method) != methods.end()) {
      throw InputError(fmt::format("methods: {} is there twice", name_of(*method)));
    }
    if (*method == CallMethod::graph && options.iterations > kMostCaptured) {
      throw InputError(fmt::format("iterations: a graph of {} calls; expected at most {}",
                                   options.iterations, kMostCaptured));
    }
  }
}

void validate_peers(const CollectiveBenchOptions& options) {
  if (!options.peers) return;
  for (const auto& name : *options.peers) {
    if (std::ranges::find(kPeerNames, name) == kPeerNames.end()) {
      throw InputError(
          fmt::format("peers: \"{}\" is not one of {}", name, fmt::join(kPeerNames, ", ")));
    }
  }
}

}  // namespace

std::string_view name_of(CallMethod method) {
  switch (method) {
    case CallMethod::host:
      return "host";
    case CallMethod::stream:
      return "stream";
    case CallMethod::graph:
      return "graph";
  }
  return "?";
}

CallMethod parse_call_method(std::string_view name) {
  for (const auto method : {CallMethod::host, CallMethod::stream, CallMethod::graph}) {
    if (name == name_of(method)) return method;
  }
  throw InputError(fmt::format("method: \"{}\" is not one of host, stream, graph", name));
}

std::string_view name_of(plan::Placement placement) {
  return placement == plan::Placement::in_place ? "in place" : "out of place";
}

void validate(const CollectiveBenchOptions& options) {
  require_at_least("ranks", options.ranks, 1);
  require_at_least("iterations", options.iterations, 1);
  require_at_least("rounds", options.rounds, 1);
  require_at_least("warm-up iterations", options.warmup, 0);
  require_at_least("checked iterations", options.checks, 0);
  validate_sizes(options);
  validate_methods(options);
  validate_peers(options);
}

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

bool wants_peer(const CollectiveBenchOptions& options, std::string_view name) {
  return !options.peers || std::ranges::find(*options.peers, name) != options.peers->end();
}

std::vector<plan::Placement> placements_of(plan::Collective collective) {
  if (collective == plan::Collective::all_to_all) return {plan::Placement::out_of_place};
  return {plan::Placement::out_of_place, plan::Placement::in_place};
}

}  // namespace conccl::bench
