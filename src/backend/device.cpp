// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/backend/device.hpp"

namespace conccl::backend {

std::optional<Bytes> Device::bytes_behind(const void* address) const {
  const auto allocation = allocation_of(address);
  if (!allocation) return std::nullopt;
  const auto distance = static_cast<const std::byte*>(address) - allocation->base;
  return allocation->bytes - static_cast<Bytes>(distance);
}

}  // namespace conccl::backend
