// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fakes/hsa/engines.hpp"

#include "tests/fakes/hsa/runtime.hpp"

namespace conccl::test::fake_hsa {
namespace {

std::uint32_t bits(int count) {
  return static_cast<std::uint32_t>((std::uint64_t{1} << static_cast<unsigned>(count)) - 1);
}

/// As on MI300X, where twice as many engines as peers means the even ids; not symmetric.
int preferred_id(const Topology& topology, int dst, int src) {
  const int peers = topology.gpus() - 1;
  const int peer = dst < src ? dst : dst - 1;
  const int turned = (peer + 3 * src) % peers;
  const int step = topology.xgmi_engines() >= 2 * peers ? 2 : 1;
  const int first = topology.host_engines() + (step == 2 ? topology.host_engines() % 2 : 0);
  return first + turned * step % topology.xgmi_engines();
}

}  // namespace

Engine& Engines::get(const Agent& gpu, int id) {
  const std::lock_guard lock(mutex_);
  auto& engine = engines_[{gpu.gpu, id}];
  if (engine == nullptr) engine = std::make_unique<Engine>(runtime_, gpu, id);
  return *engine;
}

bool Engines::idle(const Agent& gpu, int id) {
  const std::lock_guard lock(mutex_);
  const auto found = engines_.find({gpu.gpu, id});
  return found == engines_.end() || found->second->idle();
}

std::int64_t Engines::copies(int gpu, int id) {
  const std::lock_guard lock(mutex_);
  const auto found = engines_.find({gpu, id});
  return found == engines_.end() ? 0 : found->second->copies();
}

void Engines::stop() {
  const std::lock_guard lock(mutex_);
  for (auto& [id, engine] : engines_) engine->stop();
}

EngineIds engine_ids(const Runtime& runtime, const Agent& dst, const Agent& src) {
  const auto& topology = runtime.topology;
  const bool peers = dst.is_gpu() && src.is_gpu() && dst.gpu != src.gpu;
  EngineIds ids;
  ids.usual = bits(topology.host_engines());
  if (!peers || topology.xgmi_engines() == 0) return ids;
  ids.usual = bits(topology.engines()) & ~bits(topology.host_engines());
  const auto preferred = runtime.variables.recommended ? settings().get(Setting::preferred) : 0;
  if (preferred == 1) {
    ids.preferred = std::uint32_t{1}
                    << static_cast<unsigned>(preferred_id(topology, dst.gpu, src.gpu));
  }
  if (preferred == 2) ids.preferred = ids.usual;
  return ids;
}

}  // namespace conccl::test::fake_hsa
