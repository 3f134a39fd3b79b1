// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// A study of a machine that is not here: the contention model's figures as a `Report`.
#pragma once

#include <span>
#include <string>

#include "conccl/bench/report.hpp"
#include "conccl/c3/strategy.hpp"
#include "conccl/c3/suite.hpp"

namespace conccl::bench {

/// Every scenario under every strategy that the machine can run, one rank per device; results have
/// the source "model", times without spread, and nothing checked. Touches no device. Throws
/// InputError when the machine lacks a figure that the model needs.
[[nodiscard]] Report predict_report(const Machine& machine, const c3::Suite& suite,
                                    std::span<const c3::Strategy> strategies);

/// The predicted timelines of the same runs, for Perfetto.
[[nodiscard]] std::string predict_trace(const Machine& machine, const c3::Suite& suite,
                                        std::span<const c3::Strategy> strategies);

}  // namespace conccl::bench
