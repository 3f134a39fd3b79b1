// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/bench/collective_bench.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/collective_bench_options.hpp"
#include "bench/collective_bench_session.hpp"
#include "bench/peers/peers.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

comm::Options communicator_options(const CollectiveBenchOptions& options) {
  comm::Options result;
  result.name = "bench";
  result.policy = options.policy;
  result.direction = options.direction;
  result.deadline = options.deadline;
  return result;
}

void require_methods(const CollectiveBenchOptions& options,
                     const backend::Capabilities& capabilities) {
  const auto& methods = options.methods;
  if (std::ranges::find(methods, CallMethod::graph) == methods.end()) return;
  if (capabilities.graphs) return;
  throw Unavailable(
      fmt::format("method graph: the {} backend has no graphs, as that of NVIDIA GPUs has",
                  capabilities.backend));
}

StudyOptions peer_options(const CollectiveBenchOptions& options) {
  StudyOptions study;
  study.launch = options.launch;
  study.ranks = options.ranks;
  study.deadline = options.deadline;
  if (options.peers && options.peers->empty()) study.peers = PeerPolicy::none;
  return study;
}

}  // namespace

void run_collective_bench(backend::Backend& backend, const CollectiveBenchOptions& options,
                          const BenchHooks& hooks, BenchRun& run) {
  validate(options);
  const auto& capabilities = backend.capabilities();
  require_methods(options, capabilities);
  run = {};
  run.machine = backend.machine().name;
  run.emulation = capabilities.emulation;
  run.partial = true;
  Ranks ranks = Ranks::open(backend, options.launch, options.ranks, communicator_options(options));
  ranks.run_together([&] {
    Peers peers(ranks, capabilities, peer_options(options));
    try {
      BenchSession session(ranks, peers, options, hooks);
      session.run(run);
    } catch (...) {
      peers.give_up();
      throw;
    }
  });
  run.partial = false;
}

}  // namespace conccl::bench
