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
double tiled_bytes(const GemmShape& shape, const ModelFacts& model, double element) {
  const auto m = static_cast<double>(shape.m);
  const auto n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  return element *
         (m * k * tiles(shape.n, model.tile_n) + k * n * tiles(shape.m, model.tile_m) + m * n);
}

Nanoseconds time_of(double bytes, double gbps) {
  return gbps > 0 ? whole_ns(bytes / gbps) : Nanoseconds(0);
}

}  // namespace

TaskCost gemm_cost(const Machine& machine, const GemmShape& shape, std::string_view type) {
  const System system(machine);
  const ModelFacts& model = system.model();
  const bool memory_bound = bound_of(machine, shape, type) == GemmBound::memory;
  TaskCost cost;
  cost.alone = roofline_gemm(machine, shape, type);
  cost.memory_bytes = roofline_terms(machine, shape, type).memory_ns * machine.device.memory_gbps;
  if (model.tile_m > 0 && model.tile_n > 0) {
    cost.workgroups = tiles(shape.m, model.tile_m) * tiles(shape.n, model.tile_n);
    cost.cache_bytes = tiled_bytes(shape, model, element_bytes(type));
    cost.alone = std::max(cost.alone, time_of(cost.cache_bytes, model.cache_gbps));
  }
  cost.slowdown = system.slowdown(memory_bound ? "memory_bound" : "compute_bound");
  return cost;
}

}  // namespace conccl::c3
