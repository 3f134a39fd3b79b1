// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/host_backend.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backend/host/blas.hpp"
#include "backend/host/device.hpp"
#include "backend/host/gemm.hpp"
#include "backend/host/probe.hpp"
#include "conccl/backend/host.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::host {
namespace {

constexpr int kMaxDevices = 64;
// Fewer would leave `only k` and `all but k` nothing to choose from.
constexpr int kFewestUnits = 4;
// With this many ranks the units of all ranks match the compute cores.
constexpr int kTypicalRanks = 4;

int units_per_device(const CoreSplit& cores) {
  const int share = (static_cast<int>(cores.compute.size()) + kTypicalRanks - 1) / kTypicalRanks;
  return std::max(kFewestUnits, share);
}

Capabilities capabilities_of(const CoreSplit& cores) {
  const BlasInfo blas = blas_info();
  Capabilities found;
  found.backend = "host";
  found.emulation = true;
  found.shared_units = true;
  found.common_clock = true;
  found.max_devices = kMaxDevices;
  found.compute_units = units_per_device(cores);
  found.dma_engines = static_cast<int>(cores.dma.size());
  found.gemms = gemm_offers();
  found.gemm_library = blas.library;
  found.warnings = blas.warnings;
  return found;
}

PoolSpec dma_pool(const CoreSplit& cores) {
  PoolSpec spec{"dma", {}, PoolOrder::round_robin};
  for (const int cpu : cores.dma) spec.cpus.push_back({cpu});
  return spec;
}

}  // namespace

HostBackend::HostBackend()
    : topology_(probe_topology()),
      cores_(split_cores(topology_.cpus)),
      arena_(topology_.memory),
      capabilities_(capabilities_of(cores_)),
      dma_(dma_pool(cores_)) {}

const Machine& HostBackend::machine() const {
  std::call_once(probed_, [this] { machine_ = probe_machine(topology_, cores_, capabilities_); });
  return machine_;
}

std::unique_ptr<Device> HostBackend::open_device(int index) {
  if (index < 0 || index >= kMaxDevices) {
    throw InputError(
        fmt::format("host device {}: expected an index of 0 to {}", index, kMaxDevices - 1));
  }
  return std::make_unique<HostDevice>(
      DeviceSetup{index, capabilities_.compute_units, dma_, cores_, arena_});
}

}  // namespace conccl::backend::host

namespace conccl::backend {

std::unique_ptr<Backend> open_host() { return std::make_unique<host::HostBackend>(); }

}  // namespace conccl::backend
