// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The figures of a machine file: one table, which both the reader and the writer walk.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <variant>

#include "conccl/core/machine.hpp"
#include "core/quantity.hpp"

namespace conccl {

/// An `int` is a count of at least 1, `Bytes` are more than zero, a `double` is a quantity over
/// zero or, where none is named, a share over 0 and at most 1.
template <typename Facts>
struct Figure {
  std::string_view key;    ///< in the file
  std::string_view field;  ///< in `Machine`, and so in `Machine::sources`
  std::variant<int Facts::*, Bytes Facts::*, double Facts::*> member;
  std::optional<Quantity> quantity = std::nullopt;
};

inline constexpr std::array kMachineFigures{
    Figure<Machine>{"devices", "devices", &Machine::devices},
};

inline constexpr std::array kDeviceFigures{
    Figure<DeviceFacts>{"compute_units", "device.compute_units", &DeviceFacts::compute_units},
    Figure<DeviceFacts>{"dma_engines", "device.dma_engines", &DeviceFacts::dma_engines},
    Figure<DeviceFacts>{"memory_bandwidth", "device.memory_gbps", &DeviceFacts::memory_gbps,
                        Quantity::bandwidth},
    Figure<DeviceFacts>{"memory", "device.memory", &DeviceFacts::memory},
    Figure<DeviceFacts>{"last_level_cache", "device.last_level_cache",
                        &DeviceFacts::last_level_cache},
    Figure<DeviceFacts>{"gemm_efficiency", "device.gemm_efficiency", &DeviceFacts::gemm_efficiency},
};

inline constexpr std::array kLinkFigures{
    Figure<LinkFacts>{"peer_bandwidth", "link.peer_gbps", &LinkFacts::peer_gbps,
                      Quantity::bandwidth},
    Figure<LinkFacts>{"device_bandwidth", "link.device_gbps", &LinkFacts::device_gbps,
                      Quantity::bandwidth},
};

inline constexpr std::array<std::string_view, 3> kBackends{"host", "cuda", "hsa"};
inline constexpr std::array<std::string_view, 3> kTopologies{"full-mesh", "switch",
                                                             "shared-memory"};
inline constexpr std::array<std::string_view, 5> kPeakTypes{"bf16", "fp16", "fp8", "fp32", "fp64"};

/// The figures of one entry of `Machine::baseline`, relative to it.
inline constexpr std::string_view kLatencyField = "cost.fixed_ns";
inline constexpr std::string_view kBandwidthField = "cost.ns_per_byte";
inline constexpr std::string_view kUnitsField = "compute_units";

}  // namespace conccl
