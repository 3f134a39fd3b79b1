// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "c3/model/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

[[noreturn]] void lacks(const Machine& machine, std::string_view figure) {
  throw InputError(fmt::format("machine \"{}\": {} is not known; expected it for the model",
                               machine.name, figure));
}

/// An efficiency that is not known leaves the rate as it is.
double reached(double rate, double efficiency) { return efficiency > 0 ? rate * efficiency : rate; }

}  // namespace

System::System(const Machine& machine) : machine_(machine) {
  if (machine.model == ModelFacts{}) lacks(machine, "model");
  if (machine.device.compute_units < 1) lacks(machine, "device.compute_units");
}

double System::rate(ResourceKind kind) const {
  switch (kind) {
    case ResourceKind::memory:
      return reached(machine_.device.memory_gbps, model().memory_efficiency);
    case ResourceKind::cache:
      return model().cache_gbps;
    case ResourceKind::link_out:
    case ResourceKind::link_in:
      return reached(machine_.link.device_gbps, model().link_efficiency);
    case ResourceKind::pair:
      return reached(machine_.link.peer_gbps, model().link_efficiency);
    case ResourceKind::engine:
      return model().dma_gbps;
  }
  return 0;
}

const CollectiveFacts& System::kernels(plan::Collective collective) const {
  const auto found = machine_.baseline.find(std::string(plan::name_of(collective)));
  if (found == machine_.baseline.end()) {
    lacks(machine_, fmt::format("baseline.{}", plan::name_of(collective)));
  }
  if (found->second.compute_units < 1) {
    lacks(machine_, fmt::format("baseline.{}.compute_units", plan::name_of(collective)));
  }
  return found->second;
}

double System::kernel_rate(plan::Collective collective) const {
  const double ns_per_byte = kernels(collective).cost.ns_per_byte;
  if (!(ns_per_byte > 0) || machine_.devices < 2) return 0;
  // Of the bytes that the cost counts, one device's block stays where it is.
  return (machine_.devices - 1) / (machine_.devices * ns_per_byte);
}

const SlowdownTable& System::slowdown(std::string_view name) const {
  const auto found = model().slowdown.find(std::string(name));
  if (found == model().slowdown.end()) lacks(machine_, fmt::format("model.slowdown.{}", name));
  return found->second;
}

BesideFacts System::beside_any() const {
  BesideFacts both;
  both.gemm_by_kernels = both.kernels_by_gemm = model().beside_kernels;
  both.gemm_by_dma = both.dma_by_gemm = model().beside_dma;
  return both;
}

namespace {

/// Nanoseconds per byte of the largest size, without the latency.
double rate_at_end(const CollectiveFacts& facts) {
  const CollectiveTime& last = facts.times.back();
  return std::max(0.0, last.ns - facts.cost.fixed_ns) / static_cast<double>(last.bytes);
}

}  // namespace

double time_of(const CollectiveFacts& facts, Bytes bytes) {
  const auto above = std::ranges::upper_bound(facts.times, bytes, {}, &CollectiveTime::bytes);
  const auto size = static_cast<double>(bytes);
  if (above == facts.times.begin()) return above->ns;
  const CollectiveTime& low = *(above - 1);
  const auto from = static_cast<double>(low.bytes);
  if (above == facts.times.end()) return low.ns + (size - from) * rate_at_end(facts);
  const double share = (size - from) / (static_cast<double>(above->bytes) - from);
  return low.ns + share * (above->ns - low.ns);
}

int ResourceIndex::number_of(const Resource& resource) {
  return numbers_.try_emplace(resource, size()).first->second;
}

}  // namespace conccl::c3
