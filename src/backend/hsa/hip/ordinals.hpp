// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Which device of HIP is which GPU of the HSA runtime: HIP counts what HIP_VISIBLE_DEVICES leaves,
/// in its order, the HSA runtime does not know of that.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "backend/hsa/facts.hpp"

namespace conccl::backend::hsa::hip {

/// Of "0000:c1:00.0", as hipDeviceGetPCIBusId writes it; nullopt for anything else.
[[nodiscard]] std::optional<PciAddress> parse_pci(std::string_view text);

/// For each of `gpus` its place in `devices`; nullopt: it is not there, or an address is there
/// twice (partitions of one GPU), so that nothing tells which is which.
[[nodiscard]] std::vector<std::optional<int>> ordinals_of(std::span<const PciAddress> gpus,
                                                          std::span<const PciAddress> devices);

}  // namespace conccl::backend::hsa::hip
