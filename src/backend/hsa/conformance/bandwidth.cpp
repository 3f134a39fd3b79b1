// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/conformance/bandwidth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "backend/hsa/conformance/expect.hpp"
#include "backend/hsa/conformance/scene.hpp"

namespace conccl::backend::hsa::conformance {
namespace {

constexpr int kRepeats = 7;
constexpr Bytes kLeast = kMiB;
constexpr Bytes kStep = 4;

/// Polls, since an interrupt costs more than a small copy; then as every wait.
void finish_fast(Scene& scene, abi::hsa_signal_t signal) {
  const Session& session = scene.session();
  static_cast<void>(session.calls().hsa_signal_wait_scacquire(
      signal, abi::HSA_SIGNAL_CONDITION_LT, 1, session.ticks(std::chrono::seconds(1)),
      abi::HSA_WAIT_STATE_ACTIVE));
  scene.finish(signal);
}

double median_seconds(Session& session, const Block& from, const std::vector<Block>& to,
                      Bytes bytes) {
  std::vector<double> times;
  for (int repeat = 0; repeat <= kRepeats; ++repeat) {
    Scene scene(session);
    const auto begin = std::chrono::steady_clock::now();
    std::vector<abi::hsa_signal_t> running;
    for (const auto& block : to) {
      auto transfer = scene.transfer(block, from);
      transfer.bytes = bytes;
      running.push_back(scene.start(transfer));
    }
    for (const auto signal : running) finish_fast(scene, signal);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (repeat > 0) times.push_back(took.count());  // the first makes the queues
  }
  std::nth_element(times.begin(), times.begin() + kRepeats / 2, times.end());
  return times[kRepeats / 2];
}

}  // namespace

void measure_bandwidth(Session& session, Bytes most, Transcript& transcript) {
  session.demand_peers();
  transcript.say(fmt::format("bandwidth, measured on {}: GPU 0 pushes, one engine per peer",
                             session.library().path));
  Scene scene(session);
  const Block from = scene.block(0, most);
  std::vector<Block> peers;
  for (int gpu = 1; gpu < session.count(); ++gpu) {
    if (session.gpu(0).links[static_cast<std::size_t>(gpu)].reaches) {
      peers.push_back(scene.block(gpu, most));
    }
  }
  const auto speed = [&](const std::string& what, const std::vector<Block>& to, Bytes bytes) {
    const auto total = static_cast<double>(bytes) * static_cast<double>(to.size());
    transcript.speed({what, bytes, total / median_seconds(session, from, to, bytes) / 1e9});
  };
  for (Bytes bytes = kLeast; bytes <= most; bytes *= kStep) {
    for (const auto& peer : peers) speed(fmt::format("gpu 0 to {}", peer.place), {peer}, bytes);
    if (peers.size() > 1) speed(fmt::format("to {} at once", peers.size()), peers, bytes);
  }
}

}  // namespace conccl::backend::hsa::conformance
