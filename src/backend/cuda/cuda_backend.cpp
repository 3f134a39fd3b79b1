// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/cuda_backend.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backend/cuda/blaslt.hpp"
#include "backend/cuda/device.hpp"
#include "backend/cuda/gemm.hpp"
#include "backend/cuda/probe.hpp"
#include "conccl/backend/cuda.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::cuda {
namespace {

// Ranks may share a GPU; more of them than this help nobody.
constexpr int kMaxDevices = 64;

std::vector<GpuFacts> find_gpus() {
  const int count = gpu_count();
  if (count == 0) throw Unavailable("no device");
  std::vector<GpuFacts> found;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    found.push_back(facts_of(ordinal));
    demand_features(found.back());
  }
  return found;
}

void add_gemm(Capabilities& found, const GpuFacts& gpu) {
  try {
    found.gemm_library = blaslt_name();
    found.gemms = gemm_offers(gpu);
  } catch (const Unavailable& error) {
    found.warnings.emplace_back(fmt::format("no GEMM: {}", error.what()));
  }
}

void add_warnings(Capabilities& found, const std::vector<GpuFacts>& gpus) {
  for (const GpuFacts& gpu : gpus) {
    if (gpu.reach.size() == gpus.size()) continue;
    found.warnings.push_back(
        fmt::format("GPU {}: {} of {} GPUs can access its memory; copies from the others go "
                    "through the host (nvidia-smi topo -p2p r shows which)",
                    gpu.ordinal, gpu.reach.size(), gpus.size()));
  }
  if (gpus.front().unit_step == 0) {
    found.warnings.emplace_back(
        "no shares of multiprocessors: this driver has no green contexts, expected one for CUDA "
        "12.8 or newer");
  }
  if (driver().cuMemcpyBatchAsync == nullptr) {
    found.warnings.emplace_back(
        "copies are handed over one by one: this driver has no cuMemcpyBatchAsync of CUDA 13");
  }
}

Capabilities capabilities_of(const std::vector<GpuFacts>& gpus) {
  const GpuFacts& first = gpus.front();
  Capabilities found;
  found.backend = "cuda";
  found.max_devices = std::max(kMaxDevices, static_cast<int>(gpus.size()));
  found.distinct_devices = static_cast<int>(gpus.size());
  found.compute_units = first.units;
  found.unit_step = std::max(first.unit_step, 1);
  found.dma_engines = first.engines;
  // Copies of one stream run one after the other when one stays within the GPU, in a batch too.
  found.own_block = plan::OwnBlock::own_lane;
  found.drops_work = false;
  found.cycle_counters = true;
  found.graphs = true;
  found.streams = "CUDA";
  found.units_in_timeline = false;
  add_gemm(found, first);
  add_warnings(found, gpus);
  return found;
}

bool is_primary(CUdevice device, CUcontext context) {
  unsigned flags = 0;
  int active = 0;
  if (driver().cuDevicePrimaryCtxGetState(device, &flags, &active) != CUDA_SUCCESS || active == 0) {
    return false;
  }
  CUcontext primary = nullptr;
  if (driver().cuDevicePrimaryCtxRetain(&primary, device) != CUDA_SUCCESS) return false;
  (void)driver().cuDevicePrimaryCtxRelease(device);
  return primary == context;
}

}  // namespace

CudaBackend::CudaBackend()
    : facts_(find_gpus()), capabilities_(capabilities_of(facts_)), gpus_(facts_.size()) {}

std::shared_ptr<Gpu> CudaBackend::gpu(std::size_t ordinal) const {
  const std::lock_guard lock(mutex_);
  auto& wanted = gpus_[ordinal];
  if (wanted) return wanted;
  wanted = std::make_shared<Gpu>(facts_[ordinal]);
  for (const int peer : facts_[ordinal].reach) {
    const auto& other = gpus_[static_cast<std::size_t>(peer)];
    if (!other || other == wanted) continue;
    wanted->reach(*other);
    other->reach(*wanted);
  }
  return wanted;
}

std::unique_ptr<Device> CudaBackend::open_device(int index) {
  if (index < 0 || index >= capabilities_.max_devices) {
    throw InputError(fmt::format("cuda device {}: expected an index of 0 to {}", index,
                                 capabilities_.max_devices - 1));
  }
  return std::make_unique<CudaDevice>(gpu(static_cast<std::size_t>(index) % facts_.size()));
}

std::optional<int> CudaBackend::current_device() const {
  CUcontext current = nullptr;
  if (driver().cuCtxGetCurrent(&current) != CUDA_SUCCESS || current == nullptr) return std::nullopt;
  const auto found = std::ranges::find_if(
      facts_, [current](const GpuFacts& gpu) { return is_primary(gpu.device, current); });
  if (found == facts_.end()) return std::nullopt;
  return found->ordinal;
}

const Machine& CudaBackend::machine() const {
  std::call_once(probed_, [this] {
    std::vector<std::shared_ptr<Gpu>> probed{gpu(0)};
    if (facts_.size() > 1) probed.push_back(gpu(1));
    machine_ = probe_machine(facts_, probed, capabilities_);
  });
  return machine_;
}

}  // namespace conccl::backend::cuda

namespace conccl::backend {

std::unique_ptr<Backend> open_cuda() { return std::make_unique<cuda::CudaBackend>(); }

}  // namespace conccl::backend
