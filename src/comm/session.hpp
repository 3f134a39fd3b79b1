// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What the ranks of one communicator share: posts, flags, the reason of failure.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comm/failure.hpp"
#include "comm/heartbeats.hpp"
#include "comm/peer_memory.hpp"
#include "comm/ring.hpp"
#include "comm/session_parts.hpp"
#include "comm/watchdog.hpp"
#include "conccl/backend/device.hpp"
#include "conccl/comm/communicator.hpp"

namespace conccl::comm {

/// One process's share of a communicator: all ranks, or one of them. Calls pass through a stream;
/// what is said on the host (registrations, exchanges) never does, and is numbered apart. Thread-
/// safe, one thread per rank. Rank numbers are trusted.
class Session {
 public:
  Session(SessionParts parts, const Options& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] int ranks() const { return static_cast<int>(parts_.areas.size()); }
  [[nodiscard]] const Options& options() const { return options_; }
  /// Null: every rank lives here, and addresses are the same for all.
  [[nodiscard]] PeerMemory* peers() const { return peers_.get(); }

  /// Makes a call known. Declares failure when it does not match what a neighbour posted; as that
  /// is checked by whoever comes later, all calls are alike if no failure follows.
  void post_call(int rank, std::uint64_t sequence, const Post& post);
  /// Waits for the posts of all ranks. Throws RunError after the deadline (naming the ranks that
  /// did not come), when posts do not match, and when the communicator has failed.
  void await_calls(int rank, std::uint64_t sequence);
  /// Of a call that was awaited and is not yet taken.
  [[nodiscard]] const Post& call_of(int rank, std::uint64_t sequence) const {
    return calls_.at(rank, sequence);
  }
  /// The rank needs no post of this call any more.
  void take_call(int rank, std::uint64_t sequence) { calls_.take(rank, sequence); }

  void post_host(int rank, std::uint64_t sequence, const HostPost& post);
  /// As above; the posts by rank.
  [[nodiscard]] std::vector<HostPost> await_host(int rank, std::uint64_t sequence);
  /// The rank needs no post of this host call any more, and has mapped the memory that they name.
  void take_host(int rank, std::uint64_t sequence) { host_.take(rank, sequence); }
  [[nodiscard]] bool host_taken_by_all(std::uint64_t sequence) const {
    return host_.taken_by_all(sequence);
  }
  /// Until every rank has joined, and so mapped what this one introduced, and has taken the host
  /// call `sequence`. At most the deadline; a failure ends it.
  void await_peers(std::uint64_t sequence) const;

  [[nodiscard]] Failure& failure() { return failure_; }
  [[nodiscard]] const Failure& failure() const { return failure_; }
  void fail(const std::string& reason);

  /// By rank: the flags that plans use.
  [[nodiscard]] std::span<backend::FlagBlock* const> flags() const { return flag_views_; }
  [[nodiscard]] int flags_per_rank() const { return flag_views_[0]->size(); }
  /// Keeps further flags for as long as the session, and releases their waits on failure.
  backend::FlagBlock* keep(std::unique_ptr<backend::FlagBlock> block);
  /// Raised to a call's sequence number when a rank's stream has passed the call.
  [[nodiscard]] backend::FlagRef completion(int rank) const {
    return {parts_.completions[static_cast<std::size_t>(rank)].get(), 0};
  }
  /// Leaves the flags in place for good: a stream that may never pass still has them.
  void abandon_flags() { flags_abandoned_ = true; }

  /// The rank makes no further calls; peers that need one from it fail at once.
  void leave(int rank);

 private:
  [[nodiscard]] Clock::time_point deadline() const { return Clock::now() + options_.deadline; }
  void check_neighbour(int rank, int neighbour, std::uint64_t sequence, const Post& post);
  void check_leavers();
  [[nodiscard]] bool any_is_here(const std::vector<int>& ranks) const;
  [[nodiscard]] std::string missing_text(const std::vector<int>& missing, std::uint64_t sequence,
                                         Operation operation) const;
  /// Waits until all ranks have posted `sequence`; otherwise declares the failure and throws.
  template <typename Ring>
  void await_posts(const Ring& ring, int rank, std::uint64_t sequence);
  template <typename Ring>
  void wait_for_room(Ring& ring, int rank, std::uint64_t sequence);

  [[nodiscard]] std::string unfinished_text(std::uint64_t sequence) const;
  [[nodiscard]] std::string last_calls_text(const std::vector<int>& of) const;
  [[nodiscard]] std::string silence_text() const;
  [[nodiscard]] std::string process_text(int rank) const;
  [[nodiscard]] std::uint64_t last_local_call() const;
  [[nodiscard]] Operation operation_of(std::uint64_t sequence) const;

  void on_message(int rank, Delivery delivery);
  void on_end(int rank, const std::string& why);
  void start_watchdog();
  void check_progress();
  void check_devices();
  void adopt_failure();
  void on_period();

  Options options_;
  SessionParts parts_;
  std::vector<backend::FlagBlock*> flag_views_;
  std::mutex more_mutex_;
  std::vector<std::unique_ptr<backend::FlagBlock>> more_flags_;
  std::atomic<bool> flags_abandoned_{false};
  Failure failure_;
  Heartbeats heartbeats_;
  Ring<Post, kCallSlots> calls_;
  Ring<HostPost, kHostSlots> host_;
  std::unique_ptr<PeerMemory> peers_;
  std::atomic<bool> somebody_left_{false};

  std::uint64_t oldest_ = 0;        ///< the watchdog's: the oldest call not complete on every rank,
  Clock::time_point oldest_since_;  ///< and since when it is that
  std::unique_ptr<Watchdog> watchdog_;  ///< last: it uses all of the above
};

}  // namespace conccl::comm
