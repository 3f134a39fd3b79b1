// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/topology.hpp"

#include <hwloc.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "backend/threads.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::host {
namespace {

struct TopologyDeleter {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using HwlocTopology = std::unique_ptr<hwloc_topology, TopologyDeleter>;

HwlocTopology load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw RunError("hwloc: the topology cannot be created");
  HwlocTopology topology(raw);
  if (hwloc_topology_load(raw) != 0) throw RunError("hwloc: the topology cannot be read");
  return topology;
}

std::vector<int> cpus_in_machine_order(hwloc_topology_t topology) {
  const std::vector<int> allowed = allowed_cpus();
  std::vector<int> cpus;
  const int units = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
  for (int i = 0; i < units; ++i) {
    const hwloc_obj_t unit =
        hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, static_cast<unsigned>(i));
    const int cpu = static_cast<int>(unit->os_index);
    if (std::binary_search(allowed.begin(), allowed.end(), cpu)) cpus.push_back(cpu);
  }
  return cpus.empty() ? allowed : cpus;
}

Bytes last_level_cache(hwloc_topology_t topology) {
  for (const auto type : {HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE}) {
    const hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0);
    if (cache != nullptr && cache->attr != nullptr) return cache->attr->cache.size;
  }
  return 0;
}

std::string cpu_model(hwloc_topology_t topology) {
  for (const auto type : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_MACHINE}) {
    const hwloc_obj_t object = hwloc_get_obj_by_type(topology, type, 0);
    if (object == nullptr) continue;
    if (const char* model = hwloc_obj_get_info_by_name(object, "CPUModel")) return model;
  }
  return "unknown";
}

}  // namespace

Topology probe_topology() {
  const HwlocTopology topology = load();
  Topology facts;
  facts.cpus = cpus_in_machine_order(topology.get());
  facts.cpu_model = cpu_model(topology.get());
  facts.last_level_cache = last_level_cache(topology.get());
  facts.memory = hwloc_get_root_obj(topology.get())->total_memory;
  return facts;
}

CoreSplit split_cores(const std::vector<int>& cpus) {
  ensure(!cpus.empty(), "split_cores needs a core");
  if (cpus.size() == 1) return {cpus, cpus};
  const auto dma = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, cpus.size() / 4));
  return {{cpus.end() - dma, cpus.end()}, {cpus.begin(), cpus.end() - dma}};
}

}  // namespace conccl::backend::host
