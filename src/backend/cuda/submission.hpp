// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Submission`: turns recorded operations into calls of the driver, in order.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "backend/cuda/memory_operations.hpp"
#include "backend/cuda/queue.hpp"

namespace conccl::backend::cuda {

/// A visitor of operations for one submit, which stay in place until `finish` hands over what it
/// still holds. The context must be current. In a capture, copies go one by one, as the driver
/// captures no batches, and nothing is logged, as the log's events would never pass.
class Submission {
 public:
  /// `copies`: empty, for the submission to use.
  Submission(const Target& target, const void* owner, std::vector<const CopyOp*>& copies);

  void operator()(const CopyOp& op);
  void operator()(const SignalOp& op);
  void operator()(const WaitOp& op);
  void operator()(const ComputeOp& op);
  void operator()(const TimestampOp& op);
  void operator()(const AfterOp& op);
  void finish();

 private:
  void flush_copies();
  void copy_by_engines();
  void copy_by_kernels();
  [[nodiscard]] bool copy_as_batch(std::span<const CopyOp* const> copies);
  void copy_one(const CopyOp& op);
  /// Whether the stream is being captured: a call of the driver per fence at most.
  [[nodiscard]] bool captured();
  void refuse_in_capture(const char* what);
  [[nodiscard]] bool logged();
  [[nodiscard]] Event mark();
  [[nodiscard]] static plan::Span span(const Source& source, Bytes bytes);

  const Target& target_;
  const void* owner_;
  MemoryOperations operations_;
  std::optional<bool> captured_;
  std::vector<const CopyOp*>& copies_;  ///< handed over at the next fence
};

}  // namespace conccl::backend::cuda
