// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Text and JSON forms of a plan.
#pragma once

#include <string>
#include <string_view>

#include "conccl/plan/plan.hpp"

namespace conccl::plan {

inline constexpr std::string_view kPlanSchema = "conccl.plan/1";

/// One line per step, grouped by rank and lane.
[[nodiscard]] std::string to_text(const Plan& plan);
/// A few lines: request, algorithm, lanes, steps by kind, bytes moved per rank, flags.
[[nodiscard]] std::string summary_text(const Plan& plan);

/// JSON with `"schema": "conccl.plan/1"`, the request and every step.
[[nodiscard]] std::string to_json(const Plan& plan);

/// The inverse. `name` is what errors call the input. Throws InputError (with line and column for
/// bad syntax, with the path of the field otherwise) for malformed JSON, a missing, unknown or
/// mistyped field, a negative or overflowing number, or another schema. Whether the plan is *right*
/// is for `verify` to say.
[[nodiscard]] Plan plan_from_json(std::string_view json, std::string_view name);

}  // namespace conccl::plan
