// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What the ranks of one communicator share: posts, flags, the reason of failure, the watchdog.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "comm/post.hpp"
#include "conccl/backend/device.hpp"
#include "conccl/comm/communicator.hpp"

namespace conccl::comm {

/// Calls and registrations are numbered apart: registrations never pass through a stream.
enum class Channel { calls, registrations };

/// Thread-safe. Rank numbers are trusted.
class Session {
 public:
  Session(std::span<const std::unique_ptr<backend::Device>> devices, const Options& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] int ranks() const { return static_cast<int>(flags_.size()); }
  [[nodiscard]] const Options& options() const { return options_; }

  /// Makes a call known. Poisons the session when it does not match what another rank posted.
  void post(Channel channel, std::uint64_t sequence, int rank, const Post& post);
  /// The posts of all ranks, once they are there. Throws RunError after the deadline (naming the
  /// ranks that did not come, poisoning the session) or when the session is poisoned.
  [[nodiscard]] std::vector<Post> await(Channel channel, std::uint64_t sequence, int rank);

  /// Releases all waits; the first reason stays.
  void poison(const std::string& reason);
  [[nodiscard]] std::optional<std::string> poison_reason() const;
  /// Throws RunError with the reason when poisoned.
  void require_healthy() const;

  /// By rank: the flags that plans use.
  [[nodiscard]] std::span<backend::FlagBlock* const> flags() const { return flag_views_; }
  [[nodiscard]] int flags_per_rank() const;
  /// Leaves the completion flags in place for good: a stream that may never pass still has them.
  void abandon_completion() { completion_abandoned_ = true; }
  /// Raised to a call's sequence number when a rank's stream has passed the call.
  [[nodiscard]] backend::FlagRef completion(int rank) const { return {completion_.get(), rank}; }

 private:
  using Clock = std::chrono::steady_clock;

  /// One call: the posts that have come, and when the first did.
  struct Round {
    std::vector<std::optional<Post>> posts;
    int posted = 0;
    int taken = 0;
    Clock::time_point since;
  };
  /// Rounds first .. first + size - 1 that are not over yet.
  struct Board {
    std::uint64_t first = 1;
    std::deque<Round> rounds;
  };

  Board& board_of(Channel channel) { return channel == Channel::calls ? calls_ : registrations_; }
  Round& round_of(Board& board, std::uint64_t sequence);
  void prune();
  void poison_locked(const std::string& reason);
  [[nodiscard]] std::string missing_text(const Round& round, std::uint64_t sequence) const;
  [[nodiscard]] std::string unfinished_text(std::uint64_t sequence) const;
  void watch(const std::stop_token& stop);
  void check_deadlines();

  Options options_;
  std::vector<std::unique_ptr<backend::FlagBlock>> flags_;
  std::vector<backend::FlagBlock*> flag_views_;
  std::unique_ptr<backend::FlagBlock> completion_;
  std::atomic<bool> completion_abandoned_{false};

  mutable std::mutex mutex_;              ///< guards everything below
  std::condition_variable changed_;       ///< a round is complete, or the session is poisoned
  std::condition_variable_any stopping_;  ///< only the watchdog waits for it
  Board calls_;
  Board registrations_;
  std::optional<std::string> reason_;
  std::atomic<bool> poisoned_{false};

  std::jthread watchdog_;  ///< last: it uses all of the above
};

}  // namespace conccl::comm
