// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Recorded operations of a queue.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "conccl/backend/queue.hpp"

namespace conccl::backend::threaded {

struct CopyOp {
  std::byte* dst = nullptr;
  const std::byte* src = nullptr;
  Bytes bytes = 0;
  Origin origin;
};

/// `own`: the flag belongs to the queue's device, so it may be raised as the next work starts.
struct SignalOp {
  FlagRef flag;
  std::uint64_t value = 0;
  bool own = false;
  std::shared_ptr<FlagBlock> kept = nullptr;  ///< between two queues: the flag, kept in place
};

struct WaitOp {
  FlagRef flag;
  std::uint64_t value = 0;
  std::shared_ptr<FlagBlock> kept = nullptr;  ///< as above; such a wait ends with its queue
};

struct ComputeOp {
  Task* task = nullptr;
  Origin origin;
};

struct TimestampOp {
  Timestamp* slot = nullptr;
};

using Op = std::variant<CopyOp, SignalOp, WaitOp, ComputeOp, TimestampOp>;
using Program = std::vector<Op>;

[[nodiscard]] inline bool is_work(const Op& op) {
  return std::holds_alternative<CopyOp>(op) || std::holds_alternative<ComputeOp>(op);
}

/// A signal or a timestamp: takes no time and waits for nothing.
[[nodiscard]] inline bool is_mark(const Op& op) {
  return std::holds_alternative<SignalOp>(op) || std::holds_alternative<TimestampOp>(op);
}

}  // namespace conccl::backend::threaded
