// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Area`: the memory in which one rank speaks to all others. The rank writes, the others read.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "comm/post.hpp"
#include "conccl/backend/host_flags.hpp"
#include "conccl/comm/communicator.hpp"
#include "conccl/core/shared_segment.hpp"

namespace conccl::comm {

/// A rank may be this many calls ahead of the slowest rank's host before it waits there.
inline constexpr std::uint64_t kCallSlots = 256;
inline constexpr std::uint64_t kHostSlots = 128;

/// What a rank says on the host alone: a registration, an exchange, a call that is captured.
struct HostPost {
  Operation operation = Operation::exchange;
  std::uint32_t bytes = 0;
  std::array<std::byte, Communicator::kMaxExchange> data{};
};

/// A post of a registration, of flags or of a captured call begins with one of these.
[[nodiscard]] HostPost host_post(Operation operation, std::span<const std::byte> data);
[[nodiscard]] HostPost host_post(const Post& post);
[[nodiscard]] Post post_in(const HostPost& post);
/// As for calls; exchanges of any size belong together.
[[nodiscard]] std::optional<std::string> mismatch(int rank_a, const HostPost& a, int rank_b,
                                                  const HostPost& b);

/// Counters of an area, each raised by its rank alone.
enum class Word : int { calls_posted, calls_taken, host_posted, host_taken, left, beats, joined };
inline constexpr int kWords = 7;

/// Lies in memory of several processes, all running this build; all zero is a valid start.
struct AreaLayout {
  std::array<backend::FlagSlot, kWords + 1> words;  ///< of a HostFlags block
  /// In rank 0's area: 1 + the rank whose reason of failure counts; 0: nothing has failed.
  std::atomic<std::uint32_t> failed_by{0};
  std::array<char, 2048> reason{};  ///< why this rank declared failure; ends with a zero
  std::array<Post, kCallSlots> calls{};
  std::array<HostPost, kHostSlots> host{};
};
static_assert(std::is_trivially_copyable_v<Post> && std::is_trivially_copyable_v<HostPost>);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

class Area {
 public:
  /// In memory of this process, for ranks that all live here.
  [[nodiscard]] static Area in_process();
  /// In memory for other processes; `segment` gets the descriptor for them.
  [[nodiscard]] static Area shared(const std::string& label, FileDescriptor& segment);
  /// Another process's; throws RunError when `bytes` is not what this build expects.
  [[nodiscard]] static Area map(FileDescriptor segment, Bytes bytes);

  [[nodiscard]] AreaLayout& operator*() const { return *layout_; }
  [[nodiscard]] AreaLayout* operator->() const { return layout_; }
  [[nodiscard]] backend::HostFlags& words() const { return *words_; }
  [[nodiscard]] std::uint64_t value(Word word) const {
    return words_->value(static_cast<int>(word));
  }
  void raise(Word word, std::uint64_t value) const { words_->raise(static_cast<int>(word), value); }

 private:
  explicit Area(std::shared_ptr<void> memory);

  AreaLayout* layout_;
  std::unique_ptr<backend::HostFlags> words_;  ///< keeps the memory
};

}  // namespace conccl::comm
