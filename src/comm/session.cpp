// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "comm/left_in_place.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::comm {
namespace {

std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

/// Often enough that a missed deadline is noticed soon after it.
std::chrono::milliseconds watch_period(std::chrono::milliseconds deadline) {
  return std::clamp<std::chrono::milliseconds>(deadline / 8, std::chrono::milliseconds(5),
                                               std::chrono::milliseconds(500));
}

}  // namespace

Session::Session(SessionParts parts, const Options& options)
    : options_(options),
      parts_(std::move(parts)),
      failure_(parts_.areas, parts_.local_ranks.front(), options.name),
      heartbeats_(parts_.areas, parts_.local_ranks),
      calls_(parts_.areas, &AreaLayout::calls, Word::calls_posted, Word::calls_taken),
      host_(parts_.areas, &AreaLayout::host, Word::host_posted, Word::host_taken) {
  for (const auto& block : parts_.flags) {
    flag_views_.push_back(block.get());
    failure_.releases(*block);
  }
  if (parts_.device != nullptr) {
    peers_ = std::make_unique<PeerMemory>(parts_.links, *parts_.device, options_.deadline);
  }
  try {
    start_watchdog();
  } catch (const Error& error) {
    const auto why = fmt::format("rank {}: {}", parts_.local_ranks.front(), error.what());
    for (Link& link : parts_.links) link.refuse(why);
    throw;
  }
  for (const int rank : parts_.local_ranks) parts_.areas[index(rank)].raise(Word::joined, 1);
}

void Session::start_watchdog() {
  WatchdogHooks hooks;
  hooks.message = [this](int rank, Delivery delivery) { on_message(rank, std::move(delivery)); };
  hooks.end = [this](int rank, const std::string& why) { on_end(rank, why); };
  hooks.period = [this] { on_period(); };
  watchdog_ = std::make_unique<Watchdog>(parts_.links, watch_period(options_.deadline), hooks);
}

Session::~Session() {
  watchdog_.reset();
  if (!flags_abandoned_) return;
  for (auto* blocks : {&parts_.flags, &parts_.completions, &more_flags_}) {
    for (auto& block : *blocks) leave_in_place(std::move(block));
  }
}

backend::FlagBlock* Session::keep(std::unique_ptr<backend::FlagBlock> block) {
  failure_.releases(*block);
  const std::lock_guard lock(more_mutex_);
  more_flags_.push_back(std::move(block));
  return more_flags_.back().get();
}

void Session::fail(const std::string& reason) {
  failure_.declare(reason);
  if (peers_) peers_->release();
}

void Session::adopt_failure() {
  if (!failure_.reason()) return;
  failure_.adopt();
  if (peers_) peers_->release();
}

void Session::on_period() {
  heartbeats_.beat();
  adopt_failure();
  check_devices();
  failure_.release_again();
  check_progress();
  if (peers_) peers_->retire_the_freed();
}

void Session::check_devices() {
  if (failure_.reason()) return;
  for (std::size_t i = 0; i < parts_.local_devices.size(); ++i) {
    const auto failure = parts_.local_devices[i]->failure();
    if (failure)
      fail(fmt::format("rank {}: its device failed: {}", parts_.local_ranks[i], *failure));
  }
}

template <typename Ring>
void Session::wait_for_room(Ring& ring, int rank, std::uint64_t sequence) {
  if (const auto behind = ring.wait_for_room(sequence, deadline())) {
    fail(fmt::format("rank {}: call {}: rank {} was too many calls behind for {} ms{}", rank,
                     sequence, *behind, options_.deadline.count(), silence_text()));
  }
  failure_.require_none();
}

template <typename Ring>
void Session::await_posts(const Ring& ring, int rank, std::uint64_t sequence) {
  const auto until = deadline();
  std::vector<int> missing;
  for (int other = 0; other < ranks(); ++other) {
    const auto result = ring.await(other, sequence, until);
    if (result == backend::WaitResult::poisoned) failure_.require_none();
    if (result == backend::WaitResult::timed_out) missing.push_back(other);
  }
  if (missing.empty()) return;
  const auto operation = ring.at(rank, sequence).operation;
  fail(fmt::format("rank {}: {}", rank, missing_text(missing, sequence, operation)));
  failure_.require_none();
}

void Session::post_call(int rank, std::uint64_t sequence, const Post& post) {
  wait_for_room(calls_, rank, sequence);
  calls_.publish(rank, sequence, post);
  const int next = (rank + 1) % ranks();
  const int previous = (rank + ranks() - 1) % ranks();
  check_neighbour(rank, next, sequence, post);
  if (previous != next) check_neighbour(rank, previous, sequence, post);
  if (somebody_left_) check_leavers();
}

void Session::check_neighbour(int rank, int neighbour, std::uint64_t sequence, const Post& post) {
  // Both neighbours publish first and look then, so at least one of them sees the other's post.
  if (calls_.last_of(neighbour) < sequence) return;
  if (const auto problem = mismatch(neighbour, calls_.at(neighbour, sequence), rank, post)) {
    fail(fmt::format("call {}: {}", sequence, *problem));
  }
}

void Session::await_calls(int rank, std::uint64_t sequence) {
  await_posts(calls_, rank, sequence);
  const Post& own = calls_.at(rank, sequence);
  for (int other = 0; other < ranks(); ++other) {
    if (const auto problem = mismatch(other, calls_.at(other, sequence), rank, own)) {
      fail(fmt::format("call {}: {}", sequence, *problem));
    }
  }
  failure_.require_none();
}

void Session::post_host(int rank, std::uint64_t sequence, const HostPost& post) {
  wait_for_room(host_, rank, sequence);
  host_.publish(rank, sequence, post);
  if (somebody_left_) check_leavers();
}

std::vector<HostPost> Session::await_host(int rank, std::uint64_t sequence) {
  await_posts(host_, rank, sequence);
  std::vector<HostPost> posts;
  for (int other = 0; other < ranks(); ++other) posts.push_back(host_.at(other, sequence));
  for (int other = 0; other < ranks(); ++other) {
    if (const auto problem = mismatch(other, posts[index(other)], rank, posts[index(rank)])) {
      fail(fmt::format("call {}: {}", sequence, *problem));
    }
  }
  failure_.require_none();
  return posts;
}

void Session::await_peers(std::uint64_t sequence) const {
  const auto until = deadline();
  for (const Area& area : parts_.areas) {
    const auto limit = std::max(until - Clock::now(), Clock::duration::zero());
    static_cast<void>(area.words().wait(static_cast<int>(Word::joined), 1, limit));
  }
  host_.await_taken(sequence, until);
}

void Session::leave(int rank) {
  parts_.areas[index(rank)].raise(Word::left, 1);
  somebody_left_ = true;
  check_leavers();
}

void Session::check_leavers() {
  for (int leaver = 0; leaver < ranks(); ++leaver) {
    if (parts_.areas[index(leaver)].value(Word::left) == 0) continue;
    for (const int rank : parts_.local_ranks) {
      const auto last = calls_.last_of(leaver);
      if (calls_.last_of(rank) > last || host_.last_of(rank) > host_.last_of(leaver)) {
        fail(fmt::format("rank {} left after call {}; rank {} made a call that needs it", leaver,
                         last, rank));
      }
    }
  }
}

void Session::on_message(int rank, Delivery delivery) {
  if (auto* announcement = std::get_if<Announcement>(&delivery.message)) {
    peers_->deliver(rank, std::move(*announcement), std::move(delivery.descriptors));
  } else if (const auto* retirement = std::get_if<Retirement>(&delivery.message)) {
    peers_->retire(rank, retirement->allocation);
  } else if (const auto* refusal = std::get_if<Refusal>(&delivery.message)) {
    fail(refusal->reason);
  }
}

void Session::on_end(int rank, const std::string& why) {
  if (!why.empty()) {
    fail(fmt::format("rank {}: the link to {} failed: {}", parts_.local_ranks.front(),
                     process_text(rank), why));
  } else if (parts_.areas[index(rank)].value(Word::left) == 0) {
    fail(
        fmt::format("{} ended without leaving: it was killed, crashed, or exited with the "
                    "communicator open",
                    process_text(rank)));
  } else {
    somebody_left_ = true;
    check_leavers();
  }
}

std::uint64_t Session::last_local_call() const {
  std::uint64_t last = 0;
  for (const int rank : parts_.local_ranks) last = std::max(last, calls_.last_of(rank));
  return last;
}

Operation Session::operation_of(std::uint64_t sequence) const {
  for (const int rank : parts_.local_ranks) {
    if (calls_.last_of(rank) >= sequence) return calls_.at(rank, sequence).operation;
  }
  return {};
}

void Session::check_progress() {
  std::uint64_t complete = last_local_call();
  std::vector<int> missing;
  for (const auto& block : parts_.completions) complete = std::min(complete, block->value(0));
  const auto now = Clock::now();
  if (complete == last_local_call() || complete + 1 != oldest_) {
    oldest_ = complete + 1;
    oldest_since_ = now;
    return;
  }
  if (now - oldest_since_ <= options_.deadline || failure_.reason()) return;
  for (int rank = 0; rank < ranks(); ++rank) {
    if (calls_.last_of(rank) < oldest_) missing.push_back(rank);
  }
  fail(missing.empty() ? unfinished_text(oldest_)
                       : missing_text(missing, oldest_, operation_of(oldest_)));
}

}  // namespace conccl::comm
