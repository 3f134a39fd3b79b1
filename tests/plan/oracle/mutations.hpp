// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Plans with one mistake: what a slip in a builder, or a wrong file, looks like.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "conccl/plan/plan.hpp"

namespace conccl::plan::oracle {

enum class MutationKind { drop, duplicate, retarget, shift, reorder, early_signal, share_flag };

inline constexpr std::array kMutationKinds{
    MutationKind::drop,    MutationKind::duplicate,    MutationKind::retarget,  MutationKind::shift,
    MutationKind::reorder, MutationKind::early_signal, MutationKind::share_flag};

[[nodiscard]] std::string_view name_of(MutationKind kind);

struct Mutation {
  MutationKind kind = MutationKind::drop;
  std::string what;
  std::function<void(Plan&)> apply;  ///< to the plan that it was made for
};

/// Every single mutation of `plan`:
/// - drop a step;
/// - duplicate it: behind itself, and at the end of its lane;
/// - retarget: each rank, buffer or flag that it names becomes each other one;
/// - shift: an offset or a byte count becomes one more or one less;
/// - reorder: swap any two steps of a lane;
/// - early_signal: a signal moves before a copy of its lane;
/// - share_flag: a signal raises the flag of another signal to the same rank, and the waits for its
///   own flag wait for that one.
[[nodiscard]] std::vector<Mutation> mutations_of(const Plan& plan);

[[nodiscard]] Plan mutated(Plan plan, const Mutation& mutation);

}  // namespace conccl::plan::oracle
