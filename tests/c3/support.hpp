// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "conccl/core/machine.hpp"

namespace conccl::c3 {

/// 100 TFLOP/s, 1000 GB/s, half of both reached: figures that one can divide by hand.
inline Machine round_machine() {
  Machine machine;
  machine.name = "round";
  machine.backend = "cuda";
  machine.devices = 4;
  machine.device.memory_gbps = 1000;
  machine.device.peak_tflops = {{"bf16", 100}, {"fp8", 200}};
  machine.device.gemm_efficiency = 0.5;
  machine.baseline["all_gather"].cost = {.fixed_ns = 10'000, .ns_per_byte = 0.01};
  return machine;
}

}  // namespace conccl::c3
