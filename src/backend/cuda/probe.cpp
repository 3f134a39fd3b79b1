// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "backend/cuda/device.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::cuda {
namespace {

constexpr Bytes kCopyBytes = 256 * kMiB;
constexpr std::int64_t kProbeEdge = 8192;
constexpr std::uint64_t kSeed = 1;
constexpr int kRuns = 5;
constexpr std::chrono::seconds kLimit{60};

/// The shortest of several runs of what `record` records.
Seconds best_time(Queue& queue, const std::function<void()>& record) {
  Seconds best = Seconds::max();
  for (int run = 0; run < kRuns; ++run) {
    Timestamp start{};
    Timestamp end{};
    queue.timestamp(start);
    record();
    queue.timestamp(end);
    queue.submit();
    if (!queue.synchronize(kLimit)) throw RunError("probe: the GPU did not end within 60 s");
    best = std::min<Seconds>(best, end - start);
  }
  return best;
}

std::unique_ptr<Queue> probe_queue(Device& device, plan::Engine engine) {
  return device.make_queue({"probe", engine, {}, plan::Priority::normal});
}

/// GB/s that arrive.
double copy_gbps(Device& from, Device& to) {
  const Memory source = from.allocate(kCopyBytes);
  const Memory target = to.allocate(kCopyBytes);
  const auto queue = probe_queue(from, plan::Engine::dma);
  const Seconds time =
      best_time(*queue, [&] { queue->copy(target.data(), source.data(), kCopyBytes, {}); });
  return static_cast<double>(kCopyBytes) / time.count() / 1e9;
}

double gemm_tflops(Device& device, GemmType type) {
  const auto gemm = device.make_gemm({{kProbeEdge, kProbeEdge, kProbeEdge}, type}, kSeed);
  const auto queue = probe_queue(device, plan::Engine::compute);
  const Seconds time = best_time(*queue, [&] { queue->compute(*gemm, {}); });
  return flops(gemm->shape()) / time.count() / 1e12;
}

void add_peaks(Machine& machine, Device& device, const Capabilities& capabilities) {
  for (const auto& [type, offer] : capabilities.gemms) {
    const std::string name(name_of(type));
    machine.device.peak_tflops[name] = gemm_tflops(device, type);
    machine.sources["device.peak_tflops." + name] =
        "probed: an 8192x8192x8192 GEMM of random operands";
    machine.notes["blas"] = capabilities.gemm_library;
  }
}

void add_link(Machine& machine, Device& first, const std::vector<std::shared_ptr<Gpu>>& gpus) {
  if (gpus.size() < 2) {
    const double local = machine.device.memory_gbps / 2;
    machine.link = {"shared-memory", local, local};
    machine.sources["link.peer_gbps"] = "probed: a copy within the only GPU, which ranks share";
  } else {
    CudaDevice second(gpus[1]);
    const double pushed = copy_gbps(first, second);
    machine.link = {"switch", pushed, pushed};
    machine.sources["link.peer_gbps"] = "probed: 256 MiB from GPU 0 to GPU 1 by copy engine";
  }
  machine.sources["link.device_gbps"] = machine.sources["link.peer_gbps"];
  machine.sources["link.topology"] = "assumed: what one GPU sends is bound by its own port";
}

}  // namespace

Machine probe_machine(const std::vector<GpuFacts>& facts,
                      const std::vector<std::shared_ptr<Gpu>>& gpus,
                      const Capabilities& capabilities) {
  const GpuFacts& first = facts.front();
  CudaDevice device(gpus.front());
  Machine machine;
  machine.name = fmt::format("{}x {}", facts.size(), first.name);
  machine.backend = capabilities.backend;
  machine.devices = static_cast<int>(facts.size());
  machine.device.compute_units = first.units;
  machine.device.dma_engines = first.engines;
  machine.device.memory = first.memory;
  machine.device.last_level_cache = first.cache;
  machine.device.memory_gbps = 2 * copy_gbps(device, device);
  for (const char* field : {"devices", "device.compute_units", "device.dma_engines",
                            "device.memory", "device.last_level_cache"}) {
    machine.sources[field] = "probed";
  }
  machine.sources["device.memory_gbps"] =
      "probed: a copy of 256 MiB within GPU 0, reads plus writes";
  add_peaks(machine, device, capabilities);
  add_link(machine, device, gpus);
  machine.notes["driver"] =
      fmt::format("for CUDA {}.{}", driver_version() / 1000, driver_version() % 1000 / 10);
  return machine;
}

}  // namespace conccl::backend::cuda
