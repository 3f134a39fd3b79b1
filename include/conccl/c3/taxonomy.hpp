// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The words of C3, concurrent computation and communication, as numbers. docs/measuring.md has the
/// same definitions in prose.
#pragma once

#include <optional>
#include <string_view>

#include "conccl/core/gemm_shape.hpp"
#include "conccl/core/machine.hpp"
#include "conccl/core/units.hpp"

namespace conccl::c3 {

/// Which of the two takes longer: `t_gemm > 1.15 t_comm`, `t_comm > 1.15 t_gemm`, or neither.
enum class Balance { g_long, c_long, gc_equal };

[[nodiscard]] Balance balance_of(Nanoseconds t_gemm, Nanoseconds t_comm);
/// "G-long", "C-long", "GC-equal".
[[nodiscard]] std::string_view name_of(Balance balance);

enum class GemmBound { compute, memory };

/// Which roofline term is larger on this machine.
[[nodiscard]] GemmBound bound_of(const Machine& machine, const GemmSpec& gemm);
/// "compute-bound", "memory-bound".
[[nodiscard]] std::string_view name_of(GemmBound bound);

/// Isolated and concurrent times of one scenario under one strategy.
struct C3Times {
  double t_gemm_ms = 0;  ///< isolated, all compute units
  double t_comm_ms = 0;  ///< isolated, the form that the ideal is taken from
  double t_c3_ms = 0;    ///< from the common start until both are done on every rank
};

/// `(t_gemm + t_comm) / max(t_gemm, t_comm)`: 1 to 2.
[[nodiscard]] double ideal_speedup(const C3Times& times);
/// `(t_gemm + t_comm) / t_c3`. Throws BrokenInvariant unless t_c3 is over zero.
[[nodiscard]] double speedup(const C3Times& times);

/// Ideals below this are too close to 1 for a percentage to mean anything.
inline constexpr double kLeastIdeal = 1.05;

/// `100 (speedup - 1) / (ideal - 1)`; nullopt where the ideal is below kLeastIdeal. Below 0: slower
/// than one after the other.
[[nodiscard]] std::optional<double> percent_of_ideal(const C3Times& times);

}  // namespace conccl::c3
