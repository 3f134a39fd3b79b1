// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/collective_bench_session.hpp"

#include <algorithm>
#include <numeric>

#include "bench/collective_bench_enqueue.hpp"
#include "bench/collective_bench_options.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

constexpr std::string_view kNotAskedFor = "not asked for";

plan::Request request_of(const CollectiveBenchOptions& options, Bytes block,
                         plan::Placement placement) {
  return {options.collective, options.ranks, block, placement};
}

plan::Request largest_request(const CollectiveBenchOptions& options, Bytes bytes) {
  const Bytes block = std::max(block_of(options, bytes), size_of(options.type));
  return request_of(options, block, plan::Placement::out_of_place);
}

std::string_view name_of(BenchBuffers::Kind kind) {
  return kind == BenchBuffers::Kind::windows ? "window" : "ordinary";
}

/// NCCL's default knows nothing of its buffers beforehand.
BenchBuffers::Kind buffers_for(c3::Carrier carrier) {
  return carrier == c3::Carrier::vendor_copies ? BenchBuffers::Kind::windows
                                               : BenchBuffers::Kind::ordinary;
}

}  // namespace

BenchSession::BenchSession(Ranks& ranks, Peers& peers, const CollectiveBenchOptions& options,
                           const BenchHooks& hooks)
    : ranks_(ranks),
      peers_(peers),
      options_(options),
      hooks_(hooks),
      sizes_(sizes_of(options)),
      random_(options.seed),
      timer_(ranks, hooks.interrupt),
      buffers_(ranks, largest_request(options, sizes_.back()), BenchBuffers::Kind::windows),
      checker_(ranks, buffers_, timer_, options.seed) {}

void BenchSession::add_libraries() {
  libraries_.push_back(make_own_library(ranks_, buffers_, options_.type));
  for (const auto carrier : peers_.carriers()) {
    Peer& peer = *peers_.find(carrier);
    if (!wants_peer(options_, peer.facts().name)) continue;
    libraries_.push_back(make_peer_library(ranks_, buffers_, peer));
  }
  if (options_.copies == Wanted::yes) {
    libraries_.push_back(make_bare_copies(ranks_, buffers_, options_));
  }
}

void BenchSession::describe(BenchRun& run) const {
  for (const auto& library : libraries_) run.libraries.push_back(library->name());
  run.peers = peers_.facts();
  for (auto& peer : run.peers) {
    if (!wants_peer(options_, peer.name)) peer = {peer.name, {}, {}, std::string(kNotAskedFor)};
  }
}

std::vector<BenchSession::Configuration> BenchSession::configurations(Bytes block) {
  std::vector<Configuration> list;
  for (const auto placement : placements_of(options_.collective)) {
    const auto request = request_of(options_, block, placement);
    for (const auto method : options_.methods) {
      for (const auto& library : libraries_) {
        TimedCall timed(ranks_, library->make_call(request), method, options_.iterations);
        list.push_back({library->name(), request, std::move(timed), {}, {}, {}});
      }
    }
  }
  return list;
}

std::vector<std::size_t> BenchSession::shuffled(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random_);
  return order;
}

void BenchSession::measure(std::vector<Configuration>& configurations) {
  if (options_.warmup > 0) {
    for (auto& each : configurations) static_cast<void>(timer_.time(each.timed, options_.warmup));
  }
  for (int round = 0; round < options_.rounds; ++round) {
    for (const std::size_t index : shuffled(configurations.size())) {
      auto& each = configurations[index];
      const CallTime time = timer_.time(each.timed, options_.iterations);
      each.host_us.push_back(time.host.count());
      if (each.timed.method() != CallMethod::host) each.device_us.push_back(time.device.count());
    }
  }
}

void BenchSession::check(std::vector<Configuration>& configurations) {
  for (int i = 0; i < options_.checks; ++i) {
    for (const std::size_t index : shuffled(configurations.size())) {
      auto& each = configurations[index];
      checker_.check(each.timed, {each.library, each.request, size_of(options_.type)},
                     each.findings);
    }
  }
}

BenchResult BenchSession::result_of(const Configuration& configuration) const {
  BenchResult result;
  result.library = configuration.library;
  result.method = configuration.timed.method();
  result.placement = configuration.request.placement;
  result.host_us = summarize(configuration.host_us);
  if (!configuration.device_us.empty()) result.device_us = summarize(configuration.device_us);
  if (options_.checks > 0) result.wrong = configuration.findings.wrong;
  return result;
}

void BenchSession::run_size(Bytes bytes, BenchRun& run) {
  const Bytes block = block_of(options_, bytes);
  auto list = configurations(block);
  measure(list);
  check(list);
  BenchLine line;
  line.bytes = block * static_cast<Bytes>(options_.ranks);
  line.count = block / size_of(options_.type);
  std::string first;
  for (const auto& each : list) {
    line.results.push_back(result_of(each));
    if (first.empty()) first = each.findings.first;
  }
  run.lines.push_back(std::move(line));
  if (hooks_.line_done) hooks_.line_done(run);
  if (!first.empty()) throw CheckFailed(first);
}

EnqueueCost BenchSession::cost_of(Library& library, BenchBuffers::Kind kind,
                                  const plan::Request& request) {
  const auto call = library.make_call(request);
  EnqueueCost cost = enqueue_cost(ranks_, timer_, *call);
  cost.library = library.name();
  cost.buffers = name_of(kind);
  return cost;
}

void BenchSession::measure_enqueue(BenchRun& run) {
  const Bytes block = std::max(block_of(options_, sizes_.front()), size_of(options_.type));
  const auto request = request_of(options_, block, placements_of(options_.collective).back());
  const BenchBuffers ordinary(ranks_, request, BenchBuffers::Kind::ordinary);
  const auto unregistered = make_own_library(ranks_, ordinary, options_.type);
  run.enqueue.push_back(cost_of(*libraries_.front(), BenchBuffers::Kind::windows, request));
  run.enqueue.push_back(cost_of(*unregistered, BenchBuffers::Kind::ordinary, request));
  for (const auto carrier : peers_.carriers()) {
    for (const auto& library : libraries_) {
      if (library->name() != peers_.find(carrier)->facts().name) continue;
      run.enqueue.push_back(cost_of(*library, buffers_for(carrier), request));
    }
  }
}

void BenchSession::run(BenchRun& run) {
  try {
    add_libraries();
    describe(run);
    if (hooks_.started) hooks_.started(run);
    for (const Bytes bytes : sizes_) run_size(bytes, run);
    if (options_.enqueue == Wanted::yes) measure_enqueue(run);
  } catch (...) {
    // Before the libraries let go of what they use.
    peers_.give_up();
    throw;
  }
}

}  // namespace conccl::bench
