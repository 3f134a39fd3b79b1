// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The figures of a machine file: one table, which both the reader and the writer walk.
#pragma once

#include <array>
#include <string_view>
#include <variant>

#include "conccl/core/machine.hpp"
#include "core/quantity.hpp"

namespace conccl {

/// A plain number over 0, at most 1.
struct Share {};
/// A plain number of at least 1.
struct Factor {};

/// An `int` is a count of at least 1, `Bytes` are more than zero, a `double` is what `scale` says,
/// over zero.
template <typename Facts>
struct Figure {
  std::string_view key;    ///< in the file
  std::string_view field;  ///< in `Machine`, and so in `Machine::sources`
  std::variant<int Facts::*, Bytes Facts::*, double Facts::*> member;
  std::variant<Share, Factor, Quantity> scale = Share{};
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

inline constexpr std::array kModelFigures{
    Figure<ModelFacts>{"memory_efficiency", "model.memory_efficiency",
                       &ModelFacts::memory_efficiency},
    Figure<ModelFacts>{"link_efficiency", "model.link_efficiency", &ModelFacts::link_efficiency},
    Figure<ModelFacts>{"cache_bandwidth", "model.cache_gbps", &ModelFacts::cache_gbps,
                       Quantity::bandwidth},
    Figure<ModelFacts>{"unit_step", "model.unit_step", &ModelFacts::unit_step},
    Figure<ModelFacts>{"tile_m", "model.tile_m", &ModelFacts::tile_m},
    Figure<ModelFacts>{"tile_n", "model.tile_n", &ModelFacts::tile_n},
    Figure<ModelFacts>{"gemm_launch", "model.gemm_launch_ns", &ModelFacts::gemm_launch_ns,
                       Quantity::duration},
    Figure<ModelFacts>{"gemm_serial", "model.gemm_serial", &ModelFacts::gemm_serial},
    Figure<ModelFacts>{"late_share", "model.late_share", &ModelFacts::late_share},
    Figure<ModelFacts>{"flag_latency", "model.flag_ns", &ModelFacts::flag_ns, Quantity::duration},
    Figure<ModelFacts>{"dma_launch", "model.dma_launch_ns", &ModelFacts::dma_launch_ns,
                       Quantity::duration},
    Figure<ModelFacts>{"dma_copy", "model.dma_copy_ns", &ModelFacts::dma_copy_ns,
                       Quantity::duration},
    Figure<ModelFacts>{"dma_bandwidth", "model.dma_gbps", &ModelFacts::dma_gbps,
                       Quantity::bandwidth},
    Figure<ModelFacts>{"dma_local_bandwidth", "model.dma_local_gbps", &ModelFacts::dma_local_gbps,
                       Quantity::bandwidth},
    Figure<ModelFacts>{"beside_kernels", "model.beside_kernels", &ModelFacts::beside_kernels,
                       Factor{}},
    Figure<ModelFacts>{"beside_dma", "model.beside_dma", &ModelFacts::beside_dma, Factor{}},
    Figure<ModelFacts>{"kernel_step", "model.kernel_step", &ModelFacts::kernel_step},
    Figure<ModelFacts>{"error", "model.error", &ModelFacts::error},
    Figure<ModelFacts>{"fitted_from", "model.fitted_from", &ModelFacts::fitted_from},
    Figure<ModelFacts>{"fitted_to", "model.fitted_to", &ModelFacts::fitted_to},
};

inline constexpr std::array kPowerFigures{
    Figure<PowerFacts>{"cap", "model.power.cap_w", &PowerFacts::cap_w, Quantity::power},
    Figure<PowerFacts>{"idle", "model.power.idle_w", &PowerFacts::idle_w, Quantity::power},
    Figure<PowerFacts>{"gemm", "model.power.gemm_w", &PowerFacts::gemm_w, Quantity::power},
    Figure<PowerFacts>{"kernels", "model.power.kernels_w", &PowerFacts::kernels_w, Quantity::power},
    Figure<PowerFacts>{"dma", "model.power.dma_w", &PowerFacts::dma_w, Quantity::power},
    Figure<PowerFacts>{"exponent", "model.power.exponent", &PowerFacts::exponent, Factor{}},
    Figure<PowerFacts>{"throttled", "model.power.throttled", &PowerFacts::throttled, Factor{}},
    Figure<PowerFacts>{"throttled_from", "model.power.throttled_from", &PowerFacts::throttled_from},
    Figure<PowerFacts>{"throttled_to", "model.power.throttled_to", &PowerFacts::throttled_to},
};

/// Relative to a collective in an entry of `ModelFacts::beside`.
inline constexpr std::array kBesideFigures{
    Figure<BesideFacts>{"gemm_by_kernels", "gemm_by_kernels", &BesideFacts::gemm_by_kernels,
                        Factor{}},
    Figure<BesideFacts>{"gemm_by_dma", "gemm_by_dma", &BesideFacts::gemm_by_dma, Factor{}},
    Figure<BesideFacts>{"gemm_by_local", "gemm_by_local", &BesideFacts::gemm_by_local, Factor{}},
    Figure<BesideFacts>{"kernels_by_gemm", "kernels_by_gemm", &BesideFacts::kernels_by_gemm,
                        Factor{}},
    Figure<BesideFacts>{"dma_by_gemm", "dma_by_gemm", &BesideFacts::dma_by_gemm, Factor{}},
    Figure<BesideFacts>{"local_by_gemm", "local_by_gemm", &BesideFacts::local_by_gemm, Factor{}},
    Figure<BesideFacts>{"dma_launch_by_gemm", "dma_launch_by_gemm",
                        &BesideFacts::dma_launch_by_gemm, Factor{}},
    Figure<BesideFacts>{"gemm_squeezed", "gemm_squeezed", &BesideFacts::gemm_squeezed, Factor{}},
};

inline constexpr std::array<std::string_view, 2> kGemmKinds{"compute_bound", "memory_bound"};
inline constexpr std::array<std::string_view, 2> kCollectives{"all_gather", "all_to_all"};
inline constexpr std::array<std::string_view, 6> kSlowdownTables{
    "compute_bound",       "memory_bound", "compute_bound_beside",
    "memory_bound_beside", "all_gather",   "all_to_all"};

inline constexpr std::array<std::string_view, 3> kBackends{"host", "cuda", "hsa"};
inline constexpr std::array<std::string_view, 3> kTopologies{"full-mesh", "switch",
                                                             "shared-memory"};
inline constexpr std::array<std::string_view, 5> kPeakTypes{"bf16", "fp16", "fp8", "fp32", "fp64"};

/// The figures of one entry of `Machine::baseline`, relative to it.
inline constexpr std::string_view kLatencyField = "cost.fixed_ns";
inline constexpr std::string_view kBandwidthField = "cost.ns_per_byte";
inline constexpr std::string_view kTimesField = "times";
inline constexpr std::string_view kUnitsField = "compute_units";

}  // namespace conccl
