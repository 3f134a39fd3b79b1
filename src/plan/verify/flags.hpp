// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Which step raises each flag, and whether anything waits for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/verify/lanes.hpp"

namespace conccl::plan {

/// Flags are numbered by *slots*: one per flag where a plan uses about as many flags as it has
/// steps, one per raised flag where it declares far more than it could use.
class FlagTable {
 public:
  FlagTable(const Plan& plan, const LaneTable& lanes);

  /// kNoSlot: the flag exists and no step raises it.
  [[nodiscard]] std::size_t slot(int rank, int flag) const {
    if (keys_.empty()) {
      return static_cast<std::size_t>(rank) * flags_ + static_cast<std::size_t>(flag);
    }
    return find(rank, flag);
  }
  [[nodiscard]] std::size_t slots() const { return raisers_.size(); }

  /// No step (`lane == kNone`) if nothing raises it.
  [[nodiscard]] Event raiser(int rank, int flag) const {
    const auto index = slot(rank, flag);
    return index == kNoSlot ? Event{} : raisers_[index];
  }
  [[nodiscard]] bool waited(int rank, int flag) const { return waited_[slot(rank, flag)] != 0; }

  /// Returns the step that already raises the flag, if there is one, and then changes nothing.
  Event raise(const Signal& signal, Event event);
  void await(int rank, int flag);

  static constexpr std::size_t kNoSlot = static_cast<std::size_t>(-1);

 private:
  [[nodiscard]] std::size_t find(int rank, int flag) const;

  std::size_t flags_;
  std::vector<std::uint64_t> keys_;
  std::vector<Event> raisers_;
  std::vector<std::uint8_t> waited_;
};

}  // namespace conccl::plan
