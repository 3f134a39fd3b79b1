// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <set>

#include "backend/hsa/conformance/expect.hpp"
#include "backend/hsa/conformance/rows.hpp"
#include "backend/hsa/conformance/scene.hpp"

namespace conccl::backend::hsa::conformance {
namespace {

constexpr std::uint32_t kSix = 6;

std::uint32_t all_engines(const Gpu& gpu) { return (1U << (gpu.sdma + gpu.xgmi)) - 1; }

std::string engine_counts(Session& session) {
  for (int number = 0; number < session.count(); ++number) {
    const Gpu& gpu = session.gpu(number);
    expect(gpu.sdma >= 1 && gpu.sdma + gpu.xgmi <= 16,
           fmt::format("1 to 16 engines of GPU {}, at least one of them for the host", number),
           fmt::format("{} + {}", gpu.sdma, gpu.xgmi));
  }
  return fmt::format("{} for the host + {} for peers", session.gpu(0).sdma, session.gpu(0).xgmi);
}

/// A copy from GPU 0 to `dst` on `engines` must be refused and change nothing.
void expect_refused(Session& session, int dst, std::uint32_t engines) {
  Scene scene(session);
  const auto bytes = session.settings().bytes;
  const Block from = scene.random_block(0, bytes, 1);
  const Block to = scene.random_block(dst, bytes, 2);
  auto transfer = scene.transfer(to, from);
  transfer.engine = engines;
  const auto completion = scene.signal(1);
  expect_status(session.calls(), scene.submit(transfer, completion),
                abi::HSA_STATUS_ERROR_INVALID_ARGUMENT,
                fmt::format("a copy on engines {} (mask 0x{:x})", engines_text(engines), engines));
  scene.expect_still(completion, 1, "a refused copy does not touch it");
  expect_bytes(scene.read(to), random_bytes(bytes, 2), "the destination of a refused copy");
}

std::string one_bit(Session& session) {
  session.demand_peers();
  const auto engine = session.engine(0, 1);
  const auto other = engine == 1U ? 2U : engine >> 1U;
  expect_refused(session, 1, 0);
  expect_refused(session, 1, engine | other);
  expect_refused(session, 1, all_engines(session.gpu(0)));
  return {};
}

std::string host_engines(Session& session) {
  session.demand_xgmi();
  session.demand_engines();
  const Gpu& gpu = session.gpu(0);
  if (gpu.xgmi == kSix) throw Skipped("parts with 6 xGMI engines may use any");
  for (std::uint32_t id = 0; id < gpu.sdma; ++id) expect_refused(session, 1, 1U << id);
  return fmt::format("ids below {}", gpu.sdma);
}

std::string peer_engines(Session& session) {
  session.demand_xgmi();
  session.demand_engines();
  const Gpu& gpu = session.gpu(0);
  std::vector<std::uint32_t> dead;
  for (auto id = gpu.sdma; id < gpu.sdma + gpu.xgmi; ++id) {
    Scene scene(session);
    const auto bytes = session.settings().bytes;
    const Block from = scene.random_block(0, bytes, id);
    const Block to = scene.block(1, bytes);
    auto transfer = scene.transfer(to, from);
    transfer.engine = 1U << id;
    try {
      scene.copy(transfer);
    } catch (const Differs&) {
      dead.push_back(id);
      continue;
    }
    expect_bytes(scene.read(to), random_bytes(bytes, id), fmt::format("a copy on engine {}", id));
  }
  expect(dead.empty(), fmt::format("copies on ids {} to {}", gpu.sdma, gpu.sdma + gpu.xgmi - 1),
         fmt::format("ids that did not copy: {}", fmt::join(dead, ", ")));
  return fmt::format("ids {} to {}", gpu.sdma, gpu.sdma + gpu.xgmi - 1);
}

std::string independent(Session& session) {
  session.demand_xgmi();
  session.demand_engines();
  const Gpu& gpu = session.gpu(0);
  if (gpu.xgmi < 3) throw Skipped("needs three engines for peers");
  Scene scene(session);
  const auto bytes = session.settings().bytes;
  const Block from = scene.random_block(0, bytes, 1);
  const Block held_to = scene.block(1, bytes);
  const Block to = scene.block(1, bytes);
  auto held = scene.transfer(held_to, from);
  const auto gate = scene.gate();
  held.after = {gate};
  const auto waits = scene.start(held);
  auto free = scene.transfer(to, from);
  const auto id = static_cast<std::uint32_t>(std::countr_zero(held.engine));
  free.engine = 1U << (id + 2 < gpu.sdma + gpu.xgmi ? id + 2 : id - 2);
  scene.copy(free);
  expect_bytes(scene.read(to), random_bytes(bytes, 1), "a copy beside a held one");
  expect(scene.load(waits) == 1, "the held copy still held", fmt::format("{}", scene.load(waits)));
  scene.set(gate, 0);
  scene.finish(waits);
  return fmt::format("engine {} beside engine {}", engines_text(free.engine), id);
}

std::string gfx90a_engine_0(Session& session) {
  if (!session.gpu(0).is("gfx90a")) throw Skipped("only on gfx90a, this is " + session.gpu(0).isa);
  session.demand_status();
  expect_refused(session, kHost, 1U);
  return {};
}

std::string status_at_rest(Session& session) {
  session.demand_peers();
  session.demand("hsa_amd_memory_copy_engine_status");
  for (const auto& [src, dst] : {std::pair{0, 1}, {1, 0}, {0, kHost}, {kHost, 0}}) {
    const auto idle = idle_engines(session, src, dst);
    expect_status(session.calls(), idle.status, abi::HSA_STATUS_SUCCESS,
                  fmt::format("the status at rest, {} to {}", src, dst));
    expect((idle.engines & ~all_engines(session.gpu(std::max(src, 0)))) == 0 && idle.engines != 0,
           "idle engines that the GPU has", engines_text(idle.engines));
  }
  return fmt::format("0 to 1: {}; host to 0: {}", engines_text(idle_engines(session, 0, 1).engines),
                     engines_text(idle_engines(session, kHost, 0).engines));
}

std::string equal_agents(Session& session) {
  session.demand("hsa_amd_memory_copy_engine_status");
  const auto idle = idle_engines(session, 0, 0);
  if (idle.status == abi::HSA_STATUS_ERROR_INVALID_AGENT) return "refused, as older releases do";
  expect_status(session.calls(), idle.status, abi::HSA_STATUS_SUCCESS,
                "the status for one GPU and itself");
  return fmt::format("answered, as newer releases do: {}", engines_text(idle.engines));
}

void expect_preferred(const Session& session, int src, int dst) {
  const Gpu& gpu = session.gpu(src);
  const Link& link = gpu.links[static_cast<std::size_t>(dst)];
  std::uint32_t engines = 0;
  expect_status(session.calls(),
                session.calls().hsa_amd_memory_get_preferred_copy_engine(
                    session.agent(dst), session.agent(src), &engines),
                abi::HSA_STATUS_SUCCESS,
                fmt::format("the engine preferred from {} to {}", src, dst));
  const auto what = fmt::format("engines that GPU {} has for GPU {}", src, dst);
  const bool for_host = gpu.xgmi != kSix && (engines & ((1U << gpu.sdma) - 1)) != 0;
  expect((engines & ~all_engines(gpu)) == 0 && !(session.over_xgmi(src, dst) && for_host), what,
         engines_text(engines));
  if (link.by_driver != 0 && std::has_single_bit(link.by_driver) && engines != 0) {
    expect(
        engines == link.by_driver,
        fmt::format("the driver's engine {} from {} to {}", engines_text(link.by_driver), src, dst),
        engines_text(engines));
  }
}

std::string preferred(Session& session) {
  session.demand_peers();
  session.demand("hsa_amd_memory_get_preferred_copy_engine");
  std::set<std::uint32_t> of_gpu_0;
  bool single = true;
  for (int src = 0; src < session.count(); ++src) {
    for (int dst = 0; dst < session.count(); ++dst) {
      if (src == dst) continue;
      expect_preferred(session, src, dst);
      const auto engines = session.gpu(src).links[static_cast<std::size_t>(dst)].preferred;
      single = single && std::has_single_bit(engines);
      if (src == 0) of_gpu_0.insert(engines);
    }
  }
  return fmt::format("{}; {} different from GPU 0 to its {} peers",
                     single ? "one engine per pair" : "not one engine for each pair",
                     of_gpu_0.size(), session.count() - 1);
}

}  // namespace

std::span<const Row> engine_rows() {
  static constexpr Row kRows[] = {
      {"engine-counts", "the runtime tells how many engines face the host and peers",
       engine_counts},
      {"one-engine", "an engine id has exactly one bit, else INVALID_ARGUMENT", one_bit},
      {"host-engines", "ids that face the host are refused for peers over xGMI", host_engines},
      {"peer-engines", "every id from NUM_SDMA_ENG on copies to a peer", peer_engines},
      {"engines-independent", "a held copy does not hold other engines", independent},
      {"gfx90a-engine-0", "gfx90a: id 0 copies from the host only", gfx90a_engine_0},
      {"status-at-rest", "status tells engines that the GPU has", status_at_rest},
      {"status-equal", "equal agents: INVALID_AGENT, or an answer in newer releases", equal_agents},
      {"preferred-engine", "0, or engines for that peer, the driver's if it names one", preferred},
  };
  return kRows;
}

}  // namespace conccl::backend::hsa::conformance
