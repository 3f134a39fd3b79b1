// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/backend/device.hpp"

#include <fmt/format.h>

#include "conccl/core/errors.hpp"

namespace conccl::backend {

std::optional<Allocation> Device::allocation_over(const void* address, Bytes /*bytes*/) const {
  return allocation_of(address);
}

bool Device::lies_in(const void* address, std::uint64_t id) const {
  const auto allocation = allocation_of(address);
  return allocation && allocation->id == id;
}

std::optional<Bytes> Device::bytes_behind(const void* address) const {
  const auto allocation = allocation_of(address);
  if (!allocation) return std::nullopt;
  const auto distance = static_cast<const std::byte*>(address) - allocation->base;
  return allocation->bytes - static_cast<Bytes>(distance);
}

plan::Method dma_method(const Capabilities& capabilities) {
  plan::Method method;
  method.engines = capabilities.dma_engines;
  method.own_block = capabilities.own_block;
  return method;
}

std::optional<std::string> Device::why_unusable(const void* address, Bytes bytes,
                                                Reach reach) const {
  const auto available = bytes_behind(address);
  if (available && *available < bytes) {
    return fmt::format("is too small, {} bytes lie behind its address, expected {}", *available,
                       bytes);
  }
  if (available || reach == Reach::in_process) return std::nullopt;
  return "is not memory of this rank's device, which is all that other processes can reach; "
         "allocate it from the device";
}

std::optional<std::string> Device::why_unreachable(const Device& /*peer*/) const {
  return std::nullopt;
}

std::unique_ptr<Task> Device::make_cycle_reading(std::vector<CycleReading>& /*readings*/) {
  throw Unavailable("make_cycle_reading: this backend has no cycle counters");
}

std::optional<std::uint64_t> Device::stream_id(void* /*stream*/) const { return std::nullopt; }

std::unique_ptr<Queue> Device::wrap(void* /*stream*/) {
  throw Unavailable("wrap: this backend has no streams but its own queues");
}

}  // namespace conccl::backend
