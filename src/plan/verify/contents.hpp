// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What a buffer holds, by where its bytes came from.
#pragma once

#include <map>
#include <memory_resource>
#include <vector>

#include "plan/verify/lanes.hpp"

namespace conccl::plan {

/// Bytes [begin, end) of a buffer: what `origin` held when its rank started, put there by `writer`
/// (no step: they are there since the start).
struct Held {
  Bytes begin = 0;
  Bytes end = 0;
  Ref origin;
  Event writer;
};

/// Starts out holding itself. `memory` outlives it.
class Contents {
 public:
  Contents(const Ref& self, Bytes size, std::pmr::memory_resource* memory);

  /// Appends what [begin, end) holds, in order.
  void read(Bytes begin, Bytes end, std::vector<Held>& out) const;
  /// Replaces what [begin, end) held; `held` covers it in order, with one writer.
  void write(Bytes begin, Bytes end, const std::vector<Held>& held);

  /// Pieces it is kept in.
  [[nodiscard]] std::size_t pieces() const { return pieces_.size(); }

 private:
  struct Piece {
    Ref origin;
    Event writer;
  };
  using Pieces = std::pmr::map<Bytes, Piece>;

  /// The first piece from `place` on, after cutting the piece around `place` in two.
  Pieces::iterator cut(Bytes place);

  Bytes size_;
  Pieces pieces_;  // by begin; each ends where the next begins
};

}  // namespace conccl::plan
