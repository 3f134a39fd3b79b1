// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Flags: 64-bit sequence numbers that only grow, by which lanes of all ranks order one another.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "conccl/backend/memory.hpp"

namespace conccl::backend {

enum class WaitResult { raised, poisoned, timed_out };

/// A block of flags of one rank, in memory that every rank of a communicator can reach. A flag is
/// raised to a value and is waited for with "at least". Every flag has one writer. Any thread may
/// call any member.
class FlagBlock {
 public:
  virtual ~FlagBlock() = default;

  [[nodiscard]] virtual int size() const = 0;
  /// Where the flags lie: share its allocation and give it to `Device::map_flags` elsewhere.
  [[nodiscard]] virtual const Memory& memory() const = 0;
  /// Writes `value` (release: earlier writes of the caller are visible to whoever sees it).
  virtual void raise(int flag, std::uint64_t value) = 0;
  [[nodiscard]] virtual std::uint64_t value(int flag) const = 0;
  /// Host-side wait (acquire) until the flag is at least `value`, the block is poisoned, or `limit`
  /// has passed.
  [[nodiscard]] virtual WaitResult wait(int flag, std::uint64_t value,
                                        std::chrono::nanoseconds limit) = 0;
  /// Releases every wait, now and later. There is no way back.
  virtual void poison() = 0;
  [[nodiscard]] virtual bool poisoned() const = 0;
};

/// One flag of a block. Not an owner; the block must outlive every queued use.
struct FlagRef {
  FlagBlock* block = nullptr;
  int index = 0;
};

}  // namespace conccl::backend
