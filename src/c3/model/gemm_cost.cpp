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

Nanoseconds cache_time(double bytes, const ModelFacts& model) {
  if (!(model.cache_gbps > 0)) return Nanoseconds(0);
  return whole_ns(model.gemm_launch_ns + bytes / model.cache_gbps);
}

double at_most(double bytes, double rate, Nanoseconds time) {
  return rate > 0 ? std::min(bytes, rate * static_cast<double>(time.count())) : bytes;
}

std::string_view kind_of(const System& system, const GemmSpec& gemm) {
  const bool memory_bound = bound_of(system.machine(), gemm) == GemmBound::memory;
  return memory_bound ? "memory_bound" : "compute_bound";
}

BesideFacts factors_of(const BesideCollectives& beside, plan::Collective collective) {
  const auto found = beside.find(std::string(plan::name_of(collective)));
  return found == beside.end() ? BesideFacts{} : found->second;
}

/// Its own factors, and those of its kind for what it has none.
BesideFacts over(const BesideFacts& own, BesideFacts kind) {
  for (const auto member :
       {&BesideFacts::gemm_by_kernels, &BesideFacts::gemm_by_dma, &BesideFacts::gemm_by_local,
        &BesideFacts::kernels_by_gemm, &BesideFacts::dma_by_gemm, &BesideFacts::local_by_gemm,
        &BesideFacts::dma_launch_by_gemm, &BesideFacts::gemm_squeezed}) {
    if (own.*member > 0) kind.*member = own.*member;
  }
  return kind;
}

void add_slowdowns(const System& system, std::string_view kind, const KnownGemm* known,
                   TaskCost& cost) {
  const bool own = known != nullptr && !known->slowdown.empty();
  cost.slowdown = own ? known->slowdown : system.slowdown(kind);
  if (known != nullptr) cost.slowdown_beside = known->slowdown_beside;
  if (own || !cost.slowdown_beside.empty()) return;
  const auto& tables = system.model().slowdown;
  const auto beside = tables.find(std::string(kind) + "_beside");
  if (beside != tables.end()) cost.slowdown_beside = beside->second;
}

}  // namespace

TaskCost gemm_cost(const Machine& machine, const GemmSpec& gemm) {
  const System system(machine);
  const ModelFacts& model = system.model();
  TaskCost cost;
  cost.memory_bytes = roofline_terms(machine, gemm).memory_ns * machine.device.memory_gbps;
  if (model.tile_m > 0 && model.tile_n > 0) {
    cost.workgroups = tiles(gemm.shape.m, model.tile_m) * tiles(gemm.shape.n, model.tile_n);
    cost.cache_bytes = tiled_bytes(gemm, model);
  }
  const KnownGemm* const known = known_gemm(model, gemm);
  if (known != nullptr) {
    cost = with_time(machine, std::move(cost), whole_ns(known->time_ns));
  } else {
    cost.alone = std::max(roofline_gemm(machine, gemm), cache_time(cost.cache_bytes, model));
  }
  add_slowdowns(system, kind_of(system, gemm), known, cost);
  return cost;
}

TaskCost gemm_cost(const Machine& machine, const GemmSpec& gemm, plan::Collective beside) {
  TaskCost cost = gemm_cost(machine, gemm);
  const ModelFacts& model = machine.model;
  const auto kind = model.beside.find(std::string(kind_of(System(machine), gemm)));
  if (kind != model.beside.end()) cost.beside = factors_of(kind->second, beside);
  const KnownGemm* const known = known_gemm(model, gemm);
  if (known != nullptr) cost.beside = over(factors_of(known->beside, beside), cost.beside);
  return cost;
}

/// A measured time wins over bytes that are only estimated: faster than memory can move them, it
/// shows that fewer were moved.
TaskCost with_time(const Machine& machine, TaskCost cost, Nanoseconds alone) {
  const System system(machine);
  cost.alone = alone;
  cost.memory_bytes = at_most(cost.memory_bytes, system.rate(ResourceKind::memory), alone);
  cost.cache_bytes = at_most(cost.cache_bytes, system.rate(ResourceKind::cache), alone);
  return cost;
}

}  // namespace conccl::c3
