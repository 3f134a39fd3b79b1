// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/roofline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "c3/roofline_terms.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

constexpr std::array<std::string_view, 4> kTypes{"bf16", "fp16", "fp32", "fp8"};
constexpr std::array<double, 4> kTypeBytes{2, 2, 4, 1};

[[noreturn]] void lacks(const Machine& machine, std::string_view figure) {
  throw InputError(fmt::format("machine \"{}\": {} is not known; expected it for the roofline",
                               machine.name, figure));
}

double peak_of(const Machine& machine, std::string_view type) {
  const auto found = machine.device.peak_tflops.find(std::string(type));
  if (found == machine.device.peak_tflops.end()) {
    lacks(machine, fmt::format("device.peak.{}", type));
  }
  return found->second;
}

double elements_moved(const GemmShape& shape) {
  const auto m = static_cast<double>(shape.m);
  const auto n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  return m * k + k * n + m * n;
}

}  // namespace

double element_bytes(std::string_view type) {
  const auto found = std::find(kTypes.begin(), kTypes.end(), type);
  if (found == kTypes.end()) {
    throw InputError(fmt::format("GEMM type: \"{}\" is not known; expected one of {}", type,
                                 fmt::join(kTypes, ", ")));
  }
  return kTypeBytes[static_cast<std::size_t>(found - kTypes.begin())];
}

Nanoseconds whole_ns(double ns) {
  constexpr double kTooLarge = 0x1p63;
  const double rounded = std::ceil(ns);
  return rounded >= kTooLarge ? Nanoseconds::max()
                              : Nanoseconds(static_cast<Nanoseconds::rep>(rounded));
}

std::span<const std::string_view> operand_types() { return kTypes; }

RooflineTerms roofline_terms(const Machine& machine, const GemmShape& shape,
                             std::string_view type) {
  const double bytes = element_bytes(type) * elements_moved(shape);
  const double tflops = peak_of(machine, type);
  const double gbps = machine.device.memory_gbps;
  if (!(gbps > 0)) lacks(machine, "device.memory_bandwidth");
  // 1 TFLOP/s is 1000 operations per nanosecond, 1 GB/s is one byte per nanosecond.
  return {flops(shape) / (tflops * 1000), bytes / gbps};
}

Nanoseconds roofline_gemm(const Machine& machine, const GemmShape& shape, std::string_view type) {
  const RooflineTerms terms = roofline_terms(machine, shape, type);
  const double efficiency = machine.device.gemm_efficiency;
  if (!(efficiency > 0)) lacks(machine, "device.gemm_efficiency");
  // Rounded up: no GEMM takes no time, and times are divided by.
  return whole_ns(std::max(terms.compute_ns, terms.memory_ns) / efficiency);
}

Nanoseconds baseline_collective(const Machine& machine, plan::Collective collective, Bytes bytes) {
  const auto found = machine.baseline.find(std::string(plan::name_of(collective)));
  if (found == machine.baseline.end()) {
    throw InputError(
        fmt::format("machine \"{}\": baseline.{} is not known; expected its latency "
                    "and bandwidth",
                    machine.name, plan::name_of(collective)));
  }
  return found->second.cost.at(bytes);
}

}  // namespace conccl::c3
