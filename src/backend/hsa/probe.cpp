// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/probe.hpp"

#include <fmt/format.h>

namespace conccl::backend::hsa {

Machine probe_machine(const std::shared_ptr<Runtime>& runtime, const Capabilities& capabilities) {
  const GpuFacts& first = runtime->gpu(0).facts;
  const auto gpus = static_cast<int>(runtime->gpu_count());
  Machine machine;
  machine.name = fmt::format("{}x {}", gpus, first.name);
  machine.backend = capabilities.backend;
  machine.devices = gpus;
  machine.device.compute_units = first.units;
  machine.device.dma_engines = capabilities.dma_engines;
  machine.device.memory = first.memory;
  machine.device.memory_gbps = first.memory_gbps;
  const double peer = first.peer_gbps;
  const double local = first.memory_gbps / 2;
  if (peer > 0) {
    machine.link = {"full-mesh", peer, peer * (gpus - 1)};
    machine.sources["link.topology"] = "assumed: a link of its own to each peer";
    machine.sources["link.peer_gbps"] = "stated by the runtime for the slowest link";
    machine.sources["link.device_gbps"] = "stated by the runtime for one link, times the peers";
  } else {
    machine.link = {"shared-memory", local, local};
    for (const char* field : {"link.topology", "link.peer_gbps", "link.device_gbps"}) {
      machine.sources[field] = "no peer: half the memory bandwidth";
    }
  }
  for (const char* field :
       {"devices", "device.compute_units", "device.dma_engines", "device.memory"}) {
    machine.sources[field] = "stated by the runtime";
  }
  machine.sources["device.memory_gbps"] =
      "the runtime's memory clock times width, two transfers per clock assumed";
  machine.notes["isa"] = first.isa;
  machine.notes["engines"] = "of GPU 0: " + to_string(runtime->gpu(0).engines, 0);
  machine.notes["runtime"] = runtime->library().path;
  return machine;
}

}  // namespace conccl::backend::hsa
