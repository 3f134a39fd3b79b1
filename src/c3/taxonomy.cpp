// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/taxonomy.hpp"

#include <algorithm>

#include "c3/roofline_terms.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

/// 1.15 is 23/20; in whole numbers the border itself falls on the right side.
bool is_longer(Nanoseconds a, Nanoseconds b) {
  return 20.0 * static_cast<double>(a.count()) > 23.0 * static_cast<double>(b.count());
}

}  // namespace

Balance balance_of(Nanoseconds t_gemm, Nanoseconds t_comm) {
  if (is_longer(t_gemm, t_comm)) return Balance::g_long;
  if (is_longer(t_comm, t_gemm)) return Balance::c_long;
  return Balance::gc_equal;
}

std::string_view name_of(Balance balance) {
  switch (balance) {
    case Balance::g_long:
      return "G-long";
    case Balance::c_long:
      return "C-long";
    case Balance::gc_equal:
      return "GC-equal";
  }
  return "unknown";
}

GemmBound bound_of(const Machine& machine, const GemmSpec& gemm) {
  const RooflineTerms terms = roofline_terms(machine, gemm);
  return terms.compute_ns >= terms.memory_ns ? GemmBound::compute : GemmBound::memory;
}

std::string_view name_of(GemmBound bound) {
  return bound == GemmBound::compute ? "compute-bound" : "memory-bound";
}

double ideal_speedup(const C3Times& times) {
  return (times.t_gemm_ms + times.t_comm_ms) / std::max(times.t_gemm_ms, times.t_comm_ms);
}

double speedup(const C3Times& times) {
  ensure(times.t_c3_ms > 0, "t_c3 is over zero");
  return (times.t_gemm_ms + times.t_comm_ms) / times.t_c3_ms;
}

std::optional<double> percent_of_ideal(const C3Times& times) {
  const double ideal = ideal_speedup(times);
  // Negated, so that two times of zero, whose ideal is not a number, are left out as well.
  if (!(ideal >= kLeastIdeal)) return std::nullopt;
  return 100 * (speedup(times) - 1) / (ideal - 1);
}

}  // namespace conccl::c3
