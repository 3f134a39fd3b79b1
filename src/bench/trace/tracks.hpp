// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Pieces of work on rows of a picture, and their rate over time. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "conccl/core/units.hpp"

namespace conccl::bench {

/// A piece of work on the row that its name asks for.
struct Piece {
  std::string row;
  Nanoseconds start{};
  Nanoseconds end{};
};

/// A row of the picture: what is on it does not overlap.
struct Track {
  std::string name;                 ///< the row's; "row #2" and so on where one does not suffice
  std::vector<std::size_t> pieces;  ///< indices, in order of start
};

/// Rows in order of name. A piece that begins before the end of another goes to a further row.
[[nodiscard]] std::vector<Track> lay_out(const std::vector<Piece>& pieces);

/// Bytes that move evenly between two moments.
struct Flow {
  Nanoseconds start{};
  Nanoseconds end{};
  Bytes bytes = 0;
};

/// The rate from `at` to the next point.
struct RatePoint {
  Nanoseconds at{};
  double gbps = 0;  ///< 1e9 bytes per second
};

/// The sum of the flows' rates at every moment at which it changes; it ends with 0. Flows without
/// duration are left out.
[[nodiscard]] std::vector<RatePoint> rate_of(const std::vector<Flow>& flows);

}  // namespace conccl::bench
