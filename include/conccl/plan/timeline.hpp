// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Timeline`: when each piece of a plan ran, and on what. Predicted and measured ones are one
/// type.
#pragma once

#include <string>
#include <vector>

#include "conccl/core/units.hpp"

namespace conccl::plan {

/// One piece of work on one unit: a chunk of a copy, or a tile of a task. `start` and `end` are on
/// one clock per timeline.
struct Span {
  int rank = 0;
  std::string lane;  ///< the lane's label
  int step = 0;      ///< index of the step in its lane
  std::string unit;  ///< what ran it: "dma0" (shared by all ranks), "compute2" (of this rank)
  Nanoseconds start{};
  Nanoseconds end{};
  Bytes bytes = 0;  ///< copies: bytes moved; tasks: 0
};

struct Timeline {
  std::vector<Span> spans;
};

}  // namespace conccl::plan
