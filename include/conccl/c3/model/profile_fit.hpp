// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The model of a machine, from what was measured on it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "conccl/c3/model/compare.hpp"
#include "conccl/c3/model/sample.hpp"

namespace conccl::c3 {

/// `probed` with everything that the model needs and with the costs of collectives on kernels, each
/// figure with `source` and what it was made from:
///
///   GEMMs        each measured one with its time and its tables of units; for others, by kind, the
///                medians of those tables, and launch, efficiencies and serial share by least mean
///                relative error
///   collectives  on kernels: times by size, which never fall, units from which more are of no use,
///   slowdown below;
///                on DMA engines: launch and rate by least squares on relative error
///   together     the factors of `BesideFacts` by kind of GEMM and collective (what copies to peers
///                cost by all-gathers, for both), `flag_ns` and, where kernels take any number of
///                units, `late_share`, each in turn by least mean relative error, three times; then
///                each GEMM's own factors, as far as its times show them
///
/// Pure and deterministic. Throws InputError when a kind of sample that it cannot do without is
/// missing, naming it.
[[nodiscard]] Machine fit_profile(const Machine& probed, std::span<const Sample> samples,
                                  std::string_view source);

/// The samples of a GEMM and a collective together under strategies that the model knows, as rows
/// to compare with it.
[[nodiscard]] std::vector<MeasuredRow> rows_of(std::span<const Sample> samples, int ranks);

}  // namespace conccl::c3
