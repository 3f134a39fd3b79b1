// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <bit>

#include "backend/hsa/conformance/child.hpp"
#include "backend/hsa/conformance/expect.hpp"
#include "backend/hsa/conformance/rows.hpp"
#include "backend/hsa/conformance/scene.hpp"

namespace conccl::backend::hsa::conformance {
namespace {

/// Which engines the runtime says are idle for copies that `src` would run.
struct Seen {
  int src;
  int dst;

  [[nodiscard]] std::uint32_t idle(const Session& session) const {
    return idle_engines(session, src, dst).engines;
  }
};

void expect_idle(Scene& scene, const Seen& seen, std::uint32_t engine) {
  auto& session = scene.session();
  scene.expect_soon([&] { return (seen.idle(session) & engine) == engine; },
                    fmt::format("idle engine {} of GPU {}", engines_text(engine), seen.src),
                    [&] { return fmt::format("idle: {}", engines_text(seen.idle(session))); });
}

void expect_busy(Scene& scene, const Seen& seen, std::uint32_t engine) {
  auto& session = scene.session();
  scene.expect_soon(
      [&] { return (seen.idle(session) & engine) == 0; },
      fmt::format("engine {} of GPU {} busy with a held copy", engines_text(engine), seen.src),
      [&] { return fmt::format("idle: {}", engines_text(seen.idle(session))); });
}

/// A copy is held, and seen from outside: GPU `runs` must be busy and the other must not.
void expect_runs_on(Scene& scene, Transfer transfer, int runs) {
  const int other = 1 - runs;
  const Seen busy{runs, other};
  const Seen idle{other, runs};
  expect_idle(scene, busy, transfer.engine);
  expect_idle(scene, idle, transfer.engine);
  const auto gate = scene.gate();
  transfer.after = {gate};
  const auto completion = scene.start(transfer);
  expect_busy(scene, busy, transfer.engine);
  expect_idle(scene, idle, transfer.engine);
  scene.set(gate, 0);
  scene.finish(completion);
  expect_idle(scene, busy, transfer.engine);
}

std::string source_runs(Session& session) {
  session.demand_peers();
  session.demand_status();
  Scene scene(session);
  const auto bytes = session.settings().bytes;
  const Block from = scene.random_block(0, bytes, 1);
  const Block to = scene.block(1, bytes);
  expect_runs_on(scene, scene.transfer(to, from), 0);
  expect_bytes(scene.read(to), random_bytes(bytes, 1), "the destination");
  return fmt::format("engine {}", engines_text(session.engine(0, 1)));
}

std::string pull_runs(Session& session) {
  session.demand_peers();
  session.demand_status();
  Scene scene(session);
  const auto bytes = session.settings().bytes;
  const Block from = scene.random_block(1, bytes, 1);
  const Block to = scene.block(0, bytes);
  auto transfer = scene.transfer(to, from);
  std::swap(transfer.dst_agent, transfer.src_agent);
  transfer.engine = session.engine(0, 1);
  expect_runs_on(scene, transfer, 0);
  expect_bytes(scene.read(to), random_bytes(bytes, 1), "the destination");
  return {};
}

std::string reversed(Session& session) {
  session.demand_peers();
  session.demand_status();
  return child_note(session, {"reversed", {}, {{"HSA_REV_COPY_DIR", "1"}}});
}

std::string without_sdma(Session& session, const char* variable) {
  session.demand_peers();
  return child_note(session, {"plain-copy", {}, {{variable, "0"}}});
}

std::string sdma_off(Session& session) { return without_sdma(session, "HSA_ENABLE_SDMA"); }
std::string peer_sdma_off(Session& session) {
  return without_sdma(session, "HSA_ENABLE_PEER_SDMA");
}

std::string all_busy(Session& session) {
  session.demand_peers();
  session.demand_status();
  Scene scene(session);
  const Seen seen{0, 1};
  const auto bytes = session.settings().bytes;
  const Block from = scene.random_block(0, bytes, 1);
  const auto gate = scene.gate();
  const auto engines = seen.idle(session);
  expect(engines != 0, "idle engines to begin with", "none");
  std::vector<Block> blocks;
  std::vector<abi::hsa_signal_t> running;
  for (std::uint32_t left = engines; left != 0; left &= left - 1) {
    blocks.push_back(scene.block(1, bytes));
    auto transfer = scene.transfer(blocks.back(), from);
    transfer.engine = left & (~left + 1);
    transfer.after = {gate};
    running.push_back(scene.start(transfer));
  }
  expect_busy(scene, seen, engines);
  const auto idle = idle_engines(session, 0, 1);
  expect_status(session.calls(), idle.status, abi::HSA_STATUS_ERROR_OUT_OF_RESOURCES,
                "the status of engines that all have a held copy");
  scene.set(gate, 0);
  for (const auto completion : running) scene.finish(completion);
  for (const auto& block : blocks) {
    expect_bytes(scene.read(block), random_bytes(bytes, 1), "a destination");
  }
  expect_idle(scene, seen, engines);
  return fmt::format("engines {}", engines_text(engines));
}

/// The engines that stop being idle while a copy within GPU 0 is held.
std::uint32_t taken_within(Session& session, bool force) {
  Scene scene(session);
  const Seen seen{0, kHost};
  const auto bytes = session.settings().bytes;
  const Block from = scene.random_block(0, bytes, 1);
  const Block to = scene.block(0, bytes);
  auto transfer = scene.transfer(to, from);
  transfer.force_engine = force;
  const auto gate = scene.gate();
  transfer.after = {gate};
  expect_idle(scene, seen, transfer.engine);
  const auto before = seen.idle(session);
  const auto completion = scene.start(transfer);
  scene.expect_still(completion, 1, "its dependency is not met");
  const auto taken = before & ~seen.idle(session);
  scene.set(gate, 0);
  scene.finish(completion);
  expect_bytes(scene.read(to), random_bytes(bytes, 1), "a copy within GPU 0");
  return taken;
}

std::string same_gpu_forced(Session& session) {
  session.demand_status();
  const auto taken = taken_within(session, true);
  expect(std::has_single_bit(taken), "one busy engine", engines_text(taken));
  return fmt::format("engine {}", engines_text(taken));
}

std::string same_gpu_unforced(Session& session) {
  session.demand_status();
  const auto taken = taken_within(session, false);
  expect(taken == 0, "no busy engine: a kernel copies", engines_text(taken));
  return {};
}

}  // namespace

std::span<const Row> busy_rows() {
  static constexpr Row kRows[] = {
      {"source-runs", "the GPU of the source runs the copy", source_runs},
      {"pull-runs", "agents named the other way round: the destination's GPU runs it", pull_runs},
      {"reversed", "HSA_REV_COPY_DIR=1 swaps the agents of copies, not of queries", reversed},
      {"sdma-off", "HSA_ENABLE_SDMA=0: a copy on an engine succeeds all the same", sdma_off},
      {"peer-sdma-off", "HSA_ENABLE_PEER_SDMA=0: so it does between GPUs", peer_sdma_off},
      {"all-busy", "status tells idle engines; OUT_OF_RESOURCES when there is none", all_busy},
      {"same-gpu-forced", "a copy within a GPU runs on an engine when forced", same_gpu_forced},
      {"same-gpu-unforced", "else a kernel does it, whatever the engine", same_gpu_unforced},
  };
  return kRows;
}

}  // namespace conccl::backend::hsa::conformance
