// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What a collective must leave behind, written from its definition and never from steps.
#pragma once

#include <vector>

#include "conccl/plan/plan.hpp"

namespace conccl::plan {

/// `bytes` of recv from `offset` on hold what `origin` held when its rank started.
struct Piece {
  Bytes offset = 0;
  Bytes bytes = 0;
  Ref origin;

  friend bool operator==(const Piece&, const Piece&) = default;
};

/// What recv of `rank` must hold at the end: pieces in order of offset, no gaps, none of zero
/// bytes. Send buffers must hold at the end what they held at the start.
[[nodiscard]] std::vector<Piece> expectation(const Request& request, int rank);

}  // namespace conccl::plan
