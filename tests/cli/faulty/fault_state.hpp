// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What is wrong with the faulty backend, and what its devices know of one another.
#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "conccl/backend/device.hpp"
#include "conccl/backend/host_flags.hpp"

namespace conccl::test {

/// What happens to a copy between ranks that is hit.
enum class Fault {
  none,
  drop,   ///< it does not happen
  shift,  ///< it lands one byte further
  stale,  ///< it brings what the source held the round before
  late    ///< it happens after the compare of the rank it goes to
};

/// From CONCCL_FAULT: "drop", "shift", "stale", "late"; unset or empty: none. InputError otherwise.
[[nodiscard]] Fault fault_from_environment();

/// The rank whose copies are hit, and which of them: every fifth, warm-up or not.
inline constexpr int kFaultyRank = 1;
inline constexpr std::uint64_t kHitEvery = 5;

/// The ranks whose compares can be counted.
inline constexpr int kMostRanks = 64;

/// The last two contents of a filled stretch of memory.
struct Shadow {
  const std::byte* data = nullptr;
  Bytes bytes = 0;
  std::uint64_t fills = 0;
  backend::Memory kept[2];
};

/// Gives the processes that this one starts a segment in which they count compares; call it first.
void share_compares_with_children();

/// Shared by the devices of one faulty backend, for ranks that one thread drives, as the tool does.
/// Ranks in processes of their own share the counts of compares alone.
class FaultState {
 public:
  explicit FaultState(Fault fault);

  [[nodiscard]] Fault fault() const { return fault_; }
  /// Counts a copy between ranks; true when it is to be hit.
  [[nodiscard]] bool hit() { return ++copies_ % kHitEvery == 0; }

  void add_memory(int device, const std::shared_ptr<void>& memory, Bytes bytes);
  /// -1: nobody's.
  [[nodiscard]] int owner_of(const void* address) const;
  /// Shares in the allocation behind the address.
  [[nodiscard]] std::shared_ptr<void> share(const void* address) const;

  /// The shadow of a filled stretch, made by `device` where it is new; it stays in place.
  [[nodiscard]] Shadow& shadow_to_fill(backend::Device& device, const std::byte* data, Bytes bytes);
  /// What `source` held one fill earlier; null when that is not known.
  [[nodiscard]] const std::byte* previous(const std::byte* source, Bytes bytes) const;

  /// Flag r counts the compares that rank r has run.
  [[nodiscard]] backend::FlagBlock& compares() { return *compares_; }
  /// No copy waits for a compare any more.
  void release_late_copies();

 private:
  struct Allocation {
    std::weak_ptr<void> memory;
    Bytes bytes = 0;
    int device = -1;
  };
  [[nodiscard]] const Allocation* find(const void* address) const;

  const Fault fault_;
  std::uint64_t copies_ = 0;
  std::map<const std::byte*, Allocation> allocations_;
  std::map<const std::byte*, Shadow> shadows_;
  std::unique_ptr<backend::HostFlags> compares_;
};

}  // namespace conccl::test
