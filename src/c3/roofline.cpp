// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "c3/roofline_terms.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

[[noreturn]] void lacks(const Machine& machine, std::string_view figure) {
  throw InputError(fmt::format("machine \"{}\": {} is not known; expected it for the roofline",
                               machine.name, figure));
}

double peak_of(const Machine& machine, GemmType type) {
  const auto found = machine.device.peak_tflops.find(std::string(name_of(type)));
  if (found == machine.device.peak_tflops.end()) {
    lacks(machine, fmt::format("device.peak.{}", name_of(type)));
  }
  return found->second;
}

double partly_hidden(const RooflineTerms& terms, double efficiency, const ModelFacts& model) {
  const double compute = terms.compute_ns / efficiency;
  const double reached = model.memory_efficiency > 0 ? model.memory_efficiency : 1;
  const double memory = terms.memory_ns / reached;
  return std::max(compute, memory) + model.gemm_serial * std::min(compute, memory);
}

}  // namespace

Nanoseconds whole_ns(double ns) {
  constexpr double kTooLarge = 0x1p63;
  const double rounded = std::ceil(ns);
  return rounded >= kTooLarge ? Nanoseconds::max()
                              : Nanoseconds(static_cast<Nanoseconds::rep>(rounded));
}

RooflineTerms roofline_terms(const Machine& machine, const GemmSpec& gemm) {
  const double tflops = peak_of(machine, gemm.type);
  const double gbps = machine.device.memory_gbps;
  if (!(gbps > 0)) lacks(machine, "device.memory_bandwidth");
  // 1 TFLOP/s is 1000 operations per nanosecond, 1 GB/s is one byte per nanosecond.
  return {flops(gemm.shape) / (tflops * 1000), bytes_moved(gemm) / gbps};
}

Nanoseconds roofline_gemm(const Machine& machine, const GemmSpec& gemm) {
  const RooflineTerms terms = roofline_terms(machine, gemm);
  const ModelFacts& model = machine.model;
  const double efficiency = machine.device.gemm_efficiency;
  if (!(efficiency > 0)) lacks(machine, "device.gemm_efficiency");
  const double time = model.gemm_serial > 0
                          ? partly_hidden(terms, efficiency, model)
                          : std::max(terms.compute_ns, terms.memory_ns) / efficiency;
  // Rounded up: no GEMM takes no time, and times are divided by.
  return whole_ns(model.gemm_launch_ns + time);
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
