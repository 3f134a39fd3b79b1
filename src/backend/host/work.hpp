// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What pools run: work cut into pieces.
#pragma once

#include <cstddef>

#include "conccl/backend/queue.hpp"

namespace conccl::backend::host {

/// Work whose pieces may run side by side and in any order, each exactly once. A piece never waits
/// for another piece or for a flag, so a pool always makes progress.
class Work {
 public:
  virtual ~Work() = default;

  [[nodiscard]] virtual std::size_t pieces() const = 0;
  virtual void run(std::size_t piece) = 0;
  /// By the unit that takes the first piece, before it runs it.
  virtual void started() {}
  /// By the unit that ends the last piece, whether or not a piece failed.
  virtual void finished() {}

  /// For timelines. Bytes are those moved: 0 for computation.
  [[nodiscard]] virtual Origin origin(std::size_t piece) const = 0;
  [[nodiscard]] virtual Bytes bytes(std::size_t piece) const = 0;
};

/// The host's side of a `Task`: a class that is a Task is also this.
class Tiled {
 public:
  virtual ~Tiled() = default;

  /// Once before each run, by one thread.
  virtual void prepare() {}
  [[nodiscard]] virtual std::size_t tiles() const = 0;
  virtual void run_tile(std::size_t tile) = 0;
};

}  // namespace conccl::backend::host
