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

std::optional<std::string> why_no_gemm(const GemmOffers& offers, const GemmSpec& spec) {
  if (offers.empty()) {
    return fmt::format("GEMM {}: this backend has none, conccl doctor says why", to_string(spec));
  }
  const auto offer = offers.find(spec.type);
  if (offer == offers.end()) {
    return fmt::format("GEMM {}: not among this backend's types, {}", to_string(spec),
                       to_string(offers));
  }
  const std::int64_t step = offer->second.step;
  const auto [m, n, k] = spec.shape;
  if (m % step == 0 && n % step == 0 && k % step == 0) return std::nullopt;
  return fmt::format("GEMM {}: expected dimensions that are multiples of {}, which {} needs here",
                     to_string(spec), step, name_of(spec.type));
}

std::string to_string(const GemmOffers& offers) {
  std::string text;
  for (const auto& [type, offer] : offers) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", name_of(type));
    if (offer.runs_as != type) text += fmt::format(" (as {})", name_of(offer.runs_as));
    if (offer.step > 1) text += fmt::format(" (dimensions: multiples of {})", offer.step);
  }
  return text.empty() ? "none" : text;
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
