// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/device.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <utility>

#include "backend/host/gemm.hpp"
#include "backend/host/launcher.hpp"
#include "backend/host/tasks.hpp"
#include "backend/threaded/threaded_queue.hpp"
#include "conccl/backend/host_flags.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::host {
namespace {

PoolSpec compute_pool(const DeviceSetup& setup) {
  const auto units = static_cast<std::size_t>(setup.compute_units);
  return {fmt::format("r{}-compute", setup.index),
          std::vector<std::vector<int>>(units, setup.cores.compute), PoolOrder::fifo};
}

/// The units of `share`, from the first up: `only` k and `all_but` k are disjoint.
Placement placement_of(const QueueSpec& spec, int units) {
  const int asked = spec.share.units;
  switch (spec.share.kind) {
    case plan::Share::Kind::all:
      return {0, units, spec.priority};
    case plan::Share::Kind::only:
      if (asked < 1 || asked > units) break;
      return {0, asked, spec.priority};
    case plan::Share::Kind::all_but:
      if (asked < 0 || asked >= units) break;
      return {asked, units, spec.priority};
  }
  throw Unavailable(fmt::format("queue {}: {} {} compute units, this device has {}", spec.label,
                                spec.share.kind == plan::Share::Kind::only ? "only" : "all but",
                                asked, units));
}

}  // namespace

HostDevice::HostDevice(const DeviceSetup& setup)
    : dma_(setup.dma),
      cores_(setup.cores),
      arena_(setup.arena),
      log_(setup.dma.units(), setup.compute_units),
      compute_(compute_pool(setup)) {}

std::unique_ptr<FlagBlock> HostDevice::make_flags(int count) {
  if (count < 0) throw InputError(fmt::format("make_flags: {}, expected 0 or more", count));
  Memory memory = arena_.allocate_for_flags(HostFlags::bytes_for(count));
  std::memset(memory.data(), 0, memory.bytes());
  return std::make_unique<HostFlags>(std::move(memory), count, this);
}

std::unique_ptr<FlagBlock> HostDevice::map_flags(Memory memory, int count) {
  return std::make_unique<HostFlags>(std::move(memory), count, nullptr);
}

std::unique_ptr<Queue> HostDevice::make_queue(const QueueSpec& spec) {
  const bool dma = spec.engine == plan::Engine::dma;
  const Route engines{&dma_, {0, dma_.units(), spec.priority}, log_.units(plan::Engine::dma)};
  const Route units{&compute_, placement_of(spec, compute_.units()),
                    log_.units(plan::Engine::compute)};
  // Front ends stay off the compute cores, where tiles would keep them from starting anything.
  auto launcher =
      std::make_unique<HostLauncher>(Target{spec.label, dma ? engines : units, units, &log_});
  return std::make_unique<threaded::ThreadedQueue>(
      threaded::QueueSetup{spec.label, std::move(launcher), cores_.dma, this});
}

std::unique_ptr<Gemm> HostDevice::make_gemm(const GemmSpec& spec, std::uint64_t seed) {
  if (const auto reason = why_no_gemm(gemm_offers(), spec)) throw Unavailable(*reason);
  return std::make_unique<HostGemm>(spec.shape, seed, arena_);
}

std::unique_ptr<Task> HostDevice::make_fill(void* data, std::vector<Stretch> stretches) {
  return std::make_unique<FillTask>(data, stretches);
}

std::unique_ptr<Task> HostDevice::make_poison(void* data, Bytes bytes) {
  return std::make_unique<PoisonTask>(data, bytes);
}

std::unique_ptr<Task> HostDevice::make_compare(const void* data, std::vector<Stretch> stretches,
                                               Comparison& result) {
  return std::make_unique<CompareTask>(data, stretches, result);
}

Nanoseconds HostDevice::now() const { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace conccl::backend::host
