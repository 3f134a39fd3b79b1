// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::comm {
namespace {

/// Direct plans use two flags per peer; the rest is for the gates of plans that hold compute lanes.
constexpr int kExtraFlags = 16;

std::string rank_list(const std::vector<int>& ranks) {
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(ranks, ", "));
}

}  // namespace

Session::Session(std::span<const std::unique_ptr<backend::Device>> devices, const Options& options)
    : options_(options), completion_(devices[0]->make_flags(static_cast<int>(devices.size()))) {
  const int flags = 2 * static_cast<int>(devices.size()) + kExtraFlags;
  for (const auto& device : devices) {
    flags_.push_back(device->make_flags(flags));
    flag_views_.push_back(flags_.back().get());
  }
  watchdog_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

Session::~Session() {
  watchdog_ = {};
  if (!completion_abandoned_) return;
  [[maybe_unused]] const auto* left_in_place = completion_.release();
}

int Session::flags_per_rank() const { return flags_[0]->size(); }

Session::Round& Session::round_of(Board& board, std::uint64_t sequence) {
  ensure(sequence >= board.first, "a call is posted once");
  while (board.first + board.rounds.size() <= sequence) {
    Round round;
    round.posts.resize(flags_.size());
    board.rounds.push_back(std::move(round));
  }
  return board.rounds[sequence - board.first];
}

void Session::post(Channel channel, std::uint64_t sequence, int rank, const Post& post) {
  std::unique_lock lock(mutex_);
  prune();
  Round& round = round_of(board_of(channel), sequence);
  if (round.posted == 0) round.since = Clock::now();
  for (int other = 0; other < ranks(); ++other) {
    const auto& theirs = round.posts[static_cast<std::size_t>(other)];
    if (!theirs) continue;
    if (const auto problem = mismatch(other, *theirs, rank, post)) {
      poison_locked(fmt::format("call {}: {}", sequence, *problem));
    }
    break;
  }
  round.posts[static_cast<std::size_t>(rank)] = post;
  if (++round.posted < ranks()) return;
  lock.unlock();
  changed_.notify_all();
}

std::vector<Post> Session::await(Channel channel, std::uint64_t sequence, int rank) {
  std::unique_lock lock(mutex_);
  const auto complete = [&] {
    return reason_ || round_of(board_of(channel), sequence).posted == ranks();
  };
  if (!changed_.wait_for(lock, options_.deadline, complete)) {
    poison_locked(fmt::format("rank {}: {}", rank,
                              missing_text(round_of(board_of(channel), sequence), sequence)));
  }
  if (reason_) throw RunError(*reason_);
  Round& round = round_of(board_of(channel), sequence);
  ++round.taken;
  std::vector<Post> posts;
  posts.reserve(round.posts.size());
  for (const auto& post : round.posts) posts.push_back(*post);
  return posts;
}

void Session::prune() {
  const auto over = [this](std::uint64_t sequence) {
    for (int rank = 0; rank < ranks(); ++rank) {
      if (completion_->value(rank) < sequence) return false;
    }
    return true;
  };
  while (!calls_.rounds.empty() && calls_.rounds.front().posted == ranks() && over(calls_.first)) {
    calls_.rounds.pop_front();
    ++calls_.first;
  }
  while (!registrations_.rounds.empty() && registrations_.rounds.front().taken == ranks()) {
    registrations_.rounds.pop_front();
    ++registrations_.first;
  }
}

void Session::poison(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  poison_locked(reason);
}

void Session::poison_locked(const std::string& reason) {
  if (reason_) return;
  reason_ = fmt::format("communicator '{}': {}", options_.name, reason);
  poisoned_.store(true, std::memory_order_release);
  for (auto* block : flag_views_) block->poison();
  changed_.notify_all();
  log(LogLevel::warning, *reason_);
}

std::optional<std::string> Session::poison_reason() const {
  if (!poisoned_.load(std::memory_order_acquire)) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return reason_;
}

void Session::require_healthy() const {
  if (const auto reason = poison_reason()) throw RunError(*reason);
}

std::string Session::missing_text(const Round& round, std::uint64_t sequence) const {
  std::vector<int> missing;
  std::string_view operation = "a call";
  for (int rank = 0; rank < ranks(); ++rank) {
    const auto& post = round.posts[static_cast<std::size_t>(rank)];
    if (!post) missing.push_back(rank);
    if (post) operation = name_of(post->operation);
  }
  return fmt::format(
      "{} did not make call {} ({}) within {} ms; a thread that drives several ranks must group",
      rank_list(missing), sequence, operation, options_.deadline.count());
}

std::string Session::unfinished_text(std::uint64_t sequence) const {
  std::vector<int> behind;
  for (int rank = 0; rank < ranks(); ++rank) {
    if (completion_->value(rank) < sequence) behind.push_back(rank);
  }
  return fmt::format("call {} did not finish on {} within {} ms", sequence, rank_list(behind),
                     options_.deadline.count());
}

void Session::watch(const std::stop_token& stop) {
  const auto period = std::clamp<std::chrono::milliseconds>(
      options_.deadline / 8, std::chrono::milliseconds(5), std::chrono::milliseconds(500));
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    stopping_.wait_for(lock, stop, period, [] { return false; });
    prune();
    if (!reason_) check_deadlines();
  }
}

void Session::check_deadlines() {
  const auto now = Clock::now();
  for (std::size_t index = 0; index < calls_.rounds.size(); ++index) {
    const Round& round = calls_.rounds[index];
    if (round.posted == 0 || now - round.since <= options_.deadline) continue;
    const std::uint64_t sequence = calls_.first + index;
    poison_locked(round.posted < ranks() ? missing_text(round, sequence)
                                         : unfinished_text(sequence));
    return;
  }
}

}  // namespace conccl::comm
