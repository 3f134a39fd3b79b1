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

/// Starts out holding itself. `memory` outlives it. Writes are kept aside until somebody reads: a
/// plan's copies go round the buffers of all ranks, and it is far faster to bring one buffer up to
/// date at a time.
class Contents {
 public:
  Contents(const Ref& self, Bytes size, std::pmr::memory_resource* memory);

  /// Appends what [begin, end) holds, in order.
  void read(Bytes begin, Bytes end, std::vector<Held>& out);
  /// From now on these bytes hold `held`.
  void write(const Held& held);

  /// Pieces it is kept in.
  [[nodiscard]] std::size_t pieces() const { return pieces_.size() + pending_.size(); }

 private:
  struct Piece {
    Ref origin;
    Event writer;
  };
  using Pieces = std::pmr::map<Bytes, Piece>;

  void settle();
  void put(const Held& held);
  /// The first piece from `place` on, after cutting the piece around `place` in two.
  Pieces::iterator cut(Bytes place);

  Bytes size_;
  Pieces pieces_;  // by begin; each ends where the next begins
  std::vector<Held> pending_;
};

}  // namespace conccl::plan
