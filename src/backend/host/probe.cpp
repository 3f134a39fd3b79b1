// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/probe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>

#include "backend/host/gemm.hpp"
#include "backend/host/memory.hpp"
#include "backend/threads.hpp"

namespace conccl::backend::host {
namespace {

constexpr Bytes kSmallestCopy = 16 * kMiB;
constexpr Bytes kLargestCopy = 64 * kMiB;
constexpr std::int64_t kProbeEdge = 512;
constexpr std::uint64_t kSeed = 1;

/// The shorter of two runs.
Seconds best_time(const std::function<void()>& action) {
  Seconds best = Seconds::max();
  for (int run = 0; run < 2; ++run) {
    const auto start = std::chrono::steady_clock::now();
    action();
    best = std::min<Seconds>(best, std::chrono::steady_clock::now() - start);
  }
  return best;
}

/// GB/s, reads plus writes, of one core. Together the two buffers are larger than the cache, within
/// reason.
double copy_gbps(const Topology& topology) {
  const Bytes bytes = std::clamp(topology.last_level_cache, kSmallestCopy, kLargestCopy);
  Arena arena(topology.memory);
  const Memory from = arena.allocate(bytes);
  const Memory to = arena.allocate(bytes);
  std::memset(from.data(), 1, bytes);
  const Seconds time = best_time([&] { std::memcpy(to.data(), from.data(), bytes); });
  return 2 * static_cast<double>(bytes) / time.count() / 1e9;
}

double gemm_tflops(const Topology& topology) {
  Arena arena(topology.memory);
  HostGemm gemm({kProbeEdge, kProbeEdge, kProbeEdge}, kSeed, arena);
  const Seconds time = best_time([&gemm] {
    for (std::size_t tile = 0; tile < gemm.tiles(); ++tile) gemm.run_tile(tile);
  });
  return flops(gemm.shape()) / time.count() / 1e12;
}

struct CoreSpeed {
  double copy_gbps = 0;
  double gemm_tflops = 0;
};

CoreSpeed measure_core(const Topology& topology, const CoreSplit& cores) {
  CoreSpeed speed;
  start_thread("probe", {cores.compute.front()}, [&] {
    speed = {copy_gbps(topology), gemm_tflops(topology)};
  }).join();
  return speed;
}

}  // namespace

Machine probe_machine(const Topology& topology, const CoreSplit& cores,
                      const Capabilities& capabilities) {
  const CoreSpeed speed = measure_core(topology, cores);
  const auto compute_cores = static_cast<double>(cores.compute.size());
  const auto dma_cores = static_cast<double>(cores.dma.size());
  Machine machine;
  machine.name = "host";
  machine.backend = capabilities.backend;
  machine.devices = capabilities.max_devices;
  machine.device.compute_units = capabilities.compute_units;
  machine.device.dma_engines = capabilities.dma_engines;
  machine.device.memory = topology.memory;
  machine.device.last_level_cache = topology.last_level_cache;
  machine.device.memory_gbps = speed.copy_gbps;
  machine.device.peak_tflops["fp32"] = speed.gemm_tflops * compute_cores;
  machine.link = {"shared-memory", speed.copy_gbps / 2, speed.copy_gbps / 2 * dma_cores};
  for (const char* field : {"devices", "device.compute_units", "device.dma_engines",
                            "device.memory", "device.last_level_cache"}) {
    machine.sources[field] = "probed";
  }
  machine.sources["device.memory_gbps"] = "probed: memcpy on one core, reads plus writes";
  machine.sources["device.peak_tflops.fp32"] =
      "probed: a 512x512x512 GEMM on one core, times the compute cores";
  machine.sources["link.topology"] = "probed";
  machine.sources["link.peer_gbps"] = "probed: memcpy on one core";
  machine.sources["link.device_gbps"] = "probed: memcpy on one core, times the DMA cores";
  machine.notes["cpu"] = topology.cpu_model;
  machine.notes["cores"] = fmt::format("{}", topology.cpus.size());
  machine.notes["dma_core_numbers"] = fmt::format("{}", fmt::join(cores.dma, " "));
  machine.notes["compute_core_numbers"] = fmt::format("{}", fmt::join(cores.compute, " "));
  machine.notes["blas"] = capabilities.gemm_library;
  return machine;
}

}  // namespace conccl::backend::host
