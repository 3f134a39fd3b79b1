// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Work as a queue hands it to a pool: with the marks around it.
#pragma once

#include <span>
#include <vector>

#include "backend/host/work.hpp"
#include "backend/threaded/launcher.hpp"

namespace conccl::backend::host {

using threaded::CopyOp;
using threaded::Marks;
using threaded::Op;

class QueuedWork : public Work {
 public:
  void set_marks(const Marks& marks) { marks_ = marks; }
  void started() final;
  void finished() final;

 private:
  Marks marks_;
};

/// Copies between two fences, cut into chunks: large enough that taking one (about 50 ns) costs
/// little beside moving it (about 25 us), small enough that queues share an engine smoothly.
inline constexpr Bytes kChunkBytes = 256 * kKiB;

class CopyBatch final : public QueuedWork {
 public:
  /// Only copies. Keeps its storage from batch to batch.
  void assign(std::span<const Op> copies);

  [[nodiscard]] std::size_t pieces() const override { return chunks_.size(); }
  void run(std::size_t piece) override;
  [[nodiscard]] Origin origin(std::size_t piece) const override { return chunks_[piece].origin; }
  [[nodiscard]] Bytes bytes(std::size_t piece) const override { return chunks_[piece].bytes; }

 private:
  std::vector<CopyOp> chunks_;
};

/// One run of a task.
class TaskRun final : public QueuedWork {
 public:
  TaskRun(Tiled& task, Origin origin) : task_(task), origin_(origin) { task_.prepare(); }

  [[nodiscard]] std::size_t pieces() const override { return task_.tiles(); }
  void run(std::size_t piece) override { task_.run_tile(piece); }
  [[nodiscard]] Origin origin(std::size_t) const override { return origin_; }
  [[nodiscard]] Bytes bytes(std::size_t) const override { return 0; }

 private:
  Tiled& task_;
  Origin origin_;
};

}  // namespace conccl::backend::host
