// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `CapturedFlags`: the flags of collectives that graphs hold.
///
/// A call that is made counts its flags up, which the replays of a graph cannot. So every captured
/// collective has flags of its own (a *set* on each rank) that are raised to 1, and each rank
/// lowers its own as soon as it has waited for one. That is safe because the collective consists of
/// two full rounds, which between ranks a and b are: ready both ways, the copies, done both ways.
///   - b lowers "a is ready" before it says "b is done" to a. a waits for that before its replay
///     ends, and raises "a is ready" again in its next replay only.
///   - b lowers "a is done" before its own replay ends, so before it says "b is ready" in its next
///     one. a waits for that before it raises "a is done" again.
/// So between two raises of a flag lies the lowering of the first, as long as the replays of one
/// graph follow one another on each rank. The argument is void with a single round, or when a flag
/// has two waiters.
#pragma once

#include <memory>
#include <vector>

#include "conccl/backend/flags.hpp"

namespace conccl::comm {

/// The flags of one captured collective on one rank: from `first` on, in a block of that rank.
struct FlagSet {
  backend::FlagBlock* block = nullptr;
  int first = 0;
};

/// The sets of one rank: handed out one by one, and used again when their graph is gone.
class CapturedFlags {
 public:
  static constexpr int kSetsPerBlock = 32;

  /// What a graph holds on to; released on any thread.
  class Lease;

  /// `per_set` flags each, the same on every rank.
  explicit CapturedFlags(int per_set);
  /// Sets that are still out, with all that is kept with them, stay in place for good.
  ~CapturedFlags();
  CapturedFlags(const CapturedFlags&) = delete;
  CapturedFlags& operator=(const CapturedFlags&) = delete;

  [[nodiscard]] int flags_per_block() const { return per_set_ * kSetsPerBlock; }
  [[nodiscard]] int flags_per_set() const { return per_set_; }

  /// Whether `take` needs another block before.
  [[nodiscard]] bool empty();
  /// A block of `flags_per_block` flags, all zero, which outlives this.
  void add(backend::FlagBlock& block);
  /// A set whose flags are all zero.
  [[nodiscard]] FlagSet take();
  /// Gives the set back when the last owner lets go. `memory` is kept until then, and let go of by
  /// a later call on the rank's own thread.
  [[nodiscard]] std::shared_ptr<void> lease(const FlagSet& set,
                                            std::vector<std::shared_ptr<void>> memory);
  /// Lets go of memory that leases kept.
  void tidy();
  /// How many sets are out.
  [[nodiscard]] int leased() const;

 private:
  struct Pool;

  [[nodiscard]] bool all_zero(const FlagSet& set) const;

  int per_set_;
  std::shared_ptr<Pool> pool_;
};

}  // namespace conccl::comm
