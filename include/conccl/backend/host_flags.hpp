// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `HostFlags`: flags in plain memory, waited for with a futex, within and between processes.
#pragma once

#include <atomic>
#include <span>

#include "conccl/backend/flags.hpp"

namespace conccl::backend {

/// One flag, alone in its cache line: twice the value, plus one while somebody sleeps on the word.
/// Both in one word, so that a raise is one access: whoever sees the flag raised may free it.
struct alignas(64) FlagSlot {
  std::atomic<std::uint64_t> word{0};
};
static_assert(sizeof(FlagSlot) == 64 && std::atomic<std::uint64_t>::is_always_lock_free,
              "slots may lie in memory shared between processes");

/// A block over an array of slots: the first says whether the block is poisoned, flag i is slot
/// i + 1. Nothing but the slots holds state, so that several processes may each have a block over
/// the same shared memory; zeroed memory is a block of flags at 0.
class HostFlags final : public FlagBlock {
 public:
  [[nodiscard]] static constexpr Bytes bytes_for(int count) {
    return (static_cast<Bytes>(count) + 1) * sizeof(FlagSlot);
  }

  /// Over `memory`, aligned to a slot, which it keeps. `owner` identifies the device whose flags
  /// these are; null: none of this process. Throws RunError when the memory is too small.
  HostFlags(Memory memory, int count, const void* owner);

  [[nodiscard]] int size() const override { return static_cast<int>(slots_.size()) - 1; }
  [[nodiscard]] const Memory& memory() const override { return memory_; }
  void raise(int flag, std::uint64_t value) override;
  [[nodiscard]] std::uint64_t value(int flag) const override;
  [[nodiscard]] WaitResult wait(int flag, std::uint64_t value,
                                std::chrono::nanoseconds limit) override;
  void poison() override;
  [[nodiscard]] bool poisoned() const override;

  [[nodiscard]] const void* owner() const { return owner_; }

 private:
  [[nodiscard]] FlagSlot& slot(int flag) const;

  Memory memory_;
  std::span<FlagSlot> slots_;
  const void* owner_;
};

}  // namespace conccl::backend
