// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/peers/attached_peers.hpp"

#include <fmt/format.h>

#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::bench {
namespace {

constexpr int kCollectiveOfC3 = 1;

PeerBuffers buffers_of(const Workload& workload) {
  const RankWork& work = workload.work(0);
  const plan::Request& request = workload.request();
  // The workload's own, which it hands out as plans see them.
  return {const_cast<void*>(work.send), plan::send_bytes(request), work.recv,
          plan::recv_bytes(request)};
}

}  // namespace

AttachedPeers::AttachedPeers(Peers& peers, Workload& workload)
    : peers_(peers), workload_(workload) {
  try {
    for (const auto carrier : peers.carriers()) attach(carrier, *peers.find(carrier));
  } catch (...) {
    peers_.give_up();
    throw;
  }
}

AttachedPeers::~AttachedPeers() {
  try {
    detach();
  } catch (const std::exception& error) {
    log(LogLevel::warning, fmt::format("a peer is not detached: {}", error.what()));
  }
}

void AttachedPeers::attach(c3::Carrier carrier, Peer& peer) {
  peer.attach(buffers_of(workload_));
  attached_.push_back(&peer);
  peer.prepare(workload_.request());
  add_task(carrier, peer, 0);
  for (const int limit : peer.cta_limits()) add_task(carrier, peer, limit);
}

void AttachedPeers::add_task(c3::Carrier carrier, Peer& peer, int ctas) {
  tasks_.push_back(peer.make_collective(workload_.request(), ctas));
  indices_[{carrier, ctas}] = workload_.add_task(0, *tasks_.back());
}

Configuration AttachedPeers::alone(c3::Carrier carrier, int ctas) const {
  const plan::Request& request = workload_.request();
  Configuration configuration{"", request, 0, {}};
  configuration.lanes.assign(static_cast<std::size_t>(request.ranks),
                             c3::vendor_collective_alone());
  bind(configuration.lanes, carrier, ctas);
  configuration.name = peers_.find(carrier)->facts().name;
  return configuration;
}

Configuration AttachedPeers::together(const c3::C3Request& request) const {
  plan::Plan whole = c3::c3_plan(request);
  const c3::Carrier carrier = request.strategy.carrier;
  if (carrier != c3::Carrier::own) bind(whole.ranks, carrier, request.budget);
  return {std::string(request.strategy.name), request.request, whole.flags, std::move(whole.ranks)};
}

void AttachedPeers::bind(std::vector<plan::RankPlan>& plans, c3::Carrier carrier, int ctas) const {
  const auto found = indices_.find({carrier, ctas});
  if (found == indices_.end()) {
    throw InputError(fmt::format("a peer's collective on {} thread blocks is not set up", ctas));
  }
  for (auto& rank : plans) {
    for (auto& lane : rank.lanes) {
      for (auto& step : lane.steps) {
        auto* compute = std::get_if<plan::Compute>(&step);
        if (compute != nullptr && compute->task == kCollectiveOfC3) compute->task = found->second;
      }
    }
  }
}

void AttachedPeers::detach() {
  for (auto* peer : std::exchange(attached_, {})) peer->detach();
}

}  // namespace conccl::bench
