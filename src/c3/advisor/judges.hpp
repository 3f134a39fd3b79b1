// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The two rule sets: what each says of a strategy.
#pragma once

#include <functional>

#include "conccl/c3/advisor/advise.hpp"

namespace conccl::c3 {

/// Answers for any of `strategies()`; refers to the machine. Throws as `candidates`.
using Judge = std::function<Probe(const Strategy&)>;

[[nodiscard]] Judge model_judge(const Machine& machine, const Question& question);
[[nodiscard]] Judge paper_judge(const Machine& machine, const Question& question);

}  // namespace conccl::c3
