// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/hsa_backend.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backend/hsa/device.hpp"
#include "backend/hsa/hip/capabilities.hpp"
#include "backend/hsa/probe.hpp"
#include "conccl/backend/hsa.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa {
namespace {

// Ranks may share a GPU; more of them than this help nobody.
constexpr int kMaxDevices = 64;

constexpr const char* kNeverRun =
    "derived from AMD's sources, tested on a double of its runtime, never run on an AMD GPU: send "
    "what conccl-hsa-conformance prints (docs/hsa.md)";

void add_warnings(Capabilities& found, const Runtime& runtime) {
  found.warnings.emplace_back(kNeverRun);
  for (const auto& [name, value] : runtime_variables()) {
    found.warnings.push_back(fmt::format("{}={} is set", name, value));
  }
  for (const auto& line : runtime.left_out()) found.warnings.push_back("left out: " + line);
  for (std::size_t i = 0; i < runtime.gpu_count(); ++i) {
    const GpuFacts& gpu = runtime.gpu(static_cast<int>(i)).facts;
    if (gpu.unreachable.empty()) continue;
    found.warnings.push_back(fmt::format("GPU {}: it cannot access the memory of {} other GPUs", i,
                                         gpu.unreachable.size()));
  }
  if (!runtime.hears_faults()) {
    found.warnings.emplace_back(
        "another user of the runtime hears of memory faults first; here they show as late copies");
  }
  if (runtime.calls().hsa_amd_register_deallocation_callback == nullptr) {
    found.warnings.emplace_back(
        "memory by hipMalloc is refused: the runtime does not tell when it is freed");
  }
}

void add_kernels(Capabilities& found, Runtime& runtime) {
  try {
    (void)runtime.gpu(0).kernels.get(runtime, runtime.gpu(0));
  } catch (const Unavailable& error) {
    found.warnings.emplace_back(
        fmt::format("copies by kernels and byte checks are missing: {}", error.what()));
  }
}

Capabilities capabilities_of(Runtime& runtime) {
  const Gpu& first = runtime.gpu(0);
  const auto gpus = static_cast<int>(runtime.gpu_count());
  Capabilities found;
  found.backend = "hsa";
  found.common_clock = true;
  found.max_devices = std::max(kMaxDevices, gpus);
  found.distinct_devices = gpus;
  found.compute_units = first.facts.units;
  found.dma_engines = first.engines.for_peers;
  found.own_block = plan::OwnBlock::own_lane;
  found.units_in_timeline = false;
  add_kernels(found, runtime);
  add_warnings(found, runtime);
  return found;
}

/// Collectives that say they leave compute units alone must.
void demand_sdma() {
  const auto reasons = why_not_sdma();
  if (!reasons.empty()) throw Unavailable(reasons.front());
}

}  // namespace

HsaBackend::HsaBackend() : runtime_(Runtime::open()) {
  demand_sdma();
  capabilities_ = capabilities_of(*runtime_);
  hip_ = hip::add_hip(runtime_, capabilities_);
}

const Machine& HsaBackend::machine() const {
  std::call_once(probed_, [this] { machine_ = probe_machine(runtime_, capabilities_); });
  return machine_;
}

std::unique_ptr<Device> HsaBackend::open_device(int index) {
  if (index < 0 || index >= capabilities_.max_devices) {
    throw InputError(fmt::format("hsa device {}: expected an index of 0 to {}", index,
                                 capabilities_.max_devices - 1));
  }
  return std::make_unique<HsaDevice>(runtime_, hip_, index % capabilities_.distinct_devices);
}

std::optional<int> HsaBackend::current_device() const {
  return hip_ ? hip_->current_gpu() : std::nullopt;
}

}  // namespace conccl::backend::hsa

namespace conccl::backend {

std::unique_ptr<Backend> open_hsa() { return std::make_unique<hsa::HsaBackend>(); }

}  // namespace conccl::backend
