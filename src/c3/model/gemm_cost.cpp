// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <string>

#include "c3/model/system.hpp"
#include "c3/roofline_terms.hpp"
#include "conccl/c3/model/predict.hpp"
#include "conccl/c3/roofline.hpp"

namespace conccl::c3 {
namespace {

double tiles(std::int64_t dimension, int tile) {
  return std::ceil(static_cast<double>(dimension) / tile);
}

/// Every tile of the result reads its rows of A and its columns of B, and is written once.
double tiled_bytes(const GemmSpec& gemm, const ModelFacts& model) {
  const GemmShape& shape = gemm.shape;
  const auto m = static_cast<double>(shape.m);
  const auto n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  const double read = m * k * tiles(shape.n, model.tile_n) + k * n * tiles(shape.m, model.tile_m);
  return read * static_cast<double>(operand_bytes(gemm.type)) +
         m * n * static_cast<double>(result_bytes(gemm.type));
}

Nanoseconds time_of(double bytes, double gbps) {
  return gbps > 0 ? whole_ns(bytes / gbps) : Nanoseconds(0);
}

}  // namespace

TaskCost gemm_cost(const Machine& machine, const GemmSpec& gemm) {
  const System system(machine);
  const ModelFacts& model = system.model();
  const bool memory_bound = bound_of(machine, gemm) == GemmBound::memory;
  TaskCost cost;
  cost.alone = roofline_gemm(machine, gemm);
  cost.memory_bytes = roofline_terms(machine, gemm).memory_ns * machine.device.memory_gbps;
  if (model.tile_m > 0 && model.tile_n > 0) {
    cost.workgroups = tiles(gemm.shape.m, model.tile_m) * tiles(gemm.shape.n, model.tile_n);
    cost.cache_bytes = tiled_bytes(gemm, model);
    cost.alone = std::max(cost.alone, time_of(cost.cache_bytes, model.cache_gbps));
  }
  cost.slowdown = system.slowdown(memory_bound ? "memory_bound" : "compute_bound");
  return cost;
}

TaskCost with_time(const Machine& machine, TaskCost cost, Nanoseconds alone) {
  const System system(machine);
  const auto at_most = [&](double bytes, ResourceKind kind) {
    const double rate = system.rate(kind);
    return rate > 0 ? std::min(bytes, rate * static_cast<double>(alone.count())) : bytes;
  };
  cost.alone = alone;
  cost.memory_bytes = at_most(cost.memory_bytes, ResourceKind::memory);
  cost.cache_bytes = at_most(cost.cache_bytes, ResourceKind::cache);
  return cost;
}

}  // namespace conccl::c3
