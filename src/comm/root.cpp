// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/root.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "conccl/core/errors.hpp"

namespace conccl::comm {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr std::size_t kMaxStrangers = 64;
constexpr std::size_t kAcceptedAtOnce = 16;
constexpr milliseconds kStrangersTime = 5s;  // to show the secret
constexpr milliseconds kSendTime = 2s;
constexpr milliseconds kAcceptPause = 50ms;

bool send_message(const FileDescriptor& socket, const Message& message, milliseconds limit) {
  try {
    return send_all(socket, encode(message), moment_after(limit));
  } catch (const RunError&) {
    return false;
  }
}

}  // namespace

Root::Root(FileDescriptor listener, const RootSpec& spec)
    : listener_(std::move(listener)),
      spec_(spec),
      closes_(moment_after(spec.deadline)),
      until_(closes_),
      deadline_(spec.deadline) {}

void Root::run() {
  while (phase_ != Phase::over) {
    wait();
    hear_all();
    accept_all();
    const Moment now = Clock::now();
    drop_strangers(now);
    check_time(now);
    forget_gone();
  }
}

Moment Root::next_event() const {
  Moment next = until_;
  for (const Visitor& visitor : visitors_) {
    if (!visitor.rank) next = std::min(next, visitor.since + kStrangersTime);
  }
  if (listener_ && accept_from_ > Clock::now()) next = std::min(next, accept_from_);
  return next;
}

void Root::wait() {
  std::vector<pollfd> polled;
  for (const Visitor& visitor : visitors_) polled.push_back({visitor.socket.get(), POLLIN, 0});
  const bool accepting = accept_from_ <= Clock::now();
  polled.push_back({accepting ? listener_.get() : -1, POLLIN, 0});
  poll_until(polled, next_event());
  for (std::size_t i = 0; i < visitors_.size(); ++i) visitors_[i].ready = polled[i].revents != 0;
}

void Root::hear_all() {
  for (Visitor& visitor : visitors_) {
    if (visitor.ready && visitor.socket) hear(visitor);
  }
}

void Root::hear(Visitor& visitor) {
  try {
    switch (visitor.buffer.read_from(visitor.socket)) {
      case Intake::partial:
        return;
      case Intake::closed:
        return leave(visitor);
      case Intake::message:
        return take(visitor, visitor.buffer.take());
    }
  } catch (const InputError&) {
    leave(visitor);
  }
}

void Root::take(Visitor& visitor, const Message& message) {
  const auto* const join = std::get_if<Join>(&message);
  if (join != nullptr && !visitor.rank) return take_join(visitor, *join);
  if (phase_ == Phase::linking && visitor.rank) {
    if (std::holds_alternative<Linked>(message)) return note_linked(visitor);
    if (const auto* refusal = std::get_if<Refusal>(&message)) return refuse_all(refusal->reason);
  }
  leave(visitor);
}

void Root::take_join(Visitor& visitor, const Join& join) {
  if (!equal_in_constant_time(join.secret, spec_.secret)) {
    send_message(visitor.socket, Refusal{"not the id of this communicator"}, 0ms);
    visitor.socket = {};
    return;
  }
  visitor.rank = join.introduction;
  if (phase_ == Phase::refusing) return refuse(visitor);
  const milliseconds patience(join.patience_ms);
  latest_ = std::max(latest_, moment_after(patience));
  if (moment_after(patience) < until_) {
    until_ = moment_after(patience);
    deadline_ = milliseconds(join.deadline_ms);
  }
  admit(visitor);
}

void Root::admit(Visitor& visitor) {
  if (const auto reason = roll_.enter(*visitor.rank)) return refuse_all(*reason);
  if (roll_.complete()) welcome_all();
}

/// Nobody goes on alone: only when all have their links do these tell who has ended, and why.
void Root::note_linked(Visitor& visitor) {
  visitor.linked = true;
  const auto linking = [](const Visitor& other) { return other.rank && !other.linked; };
  if (std::ranges::any_of(visitors_, linking)) return;
  for (Visitor& other : visitors_) {
    if (other.socket) send_message(other.socket, Linked{}, kSendTime);
  }
  phase_ = Phase::over;
}

void Root::leave(Visitor& visitor) {
  visitor.socket = {};
  if (!visitor.rank || phase_ == Phase::refusing) return;
  refuse_all(fmt::format("{} ended while joining", rank_text(*visitor.rank)));
}

void Root::accept_all() {
  if (!listener_ || accept_from_ > Clock::now()) return;
  for (std::size_t i = 0; i < kAcceptedAtOnce && listener_; ++i) {
    FileDescriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        drop_oldest_stranger(1);
        accept_from_ = Clock::now() + kAcceptPause;
      }
      return;
    }
    drop_oldest_stranger(kMaxStrangers);
    Visitor& visitor = visitors_.emplace_back();
    visitor.socket = std::move(socket);
    visitor.since = Clock::now();
    hear(visitor);
  }
}

void Root::drop_oldest_stranger(std::size_t unless_fewer) {
  const auto stranger = [](const Visitor& visitor) { return visitor.socket && !visitor.rank; };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(visitors_, stranger));
  // Visitors stand in the order in which they came.
  if (count >= unless_fewer) std::ranges::find_if(visitors_, stranger)->socket = {};
}

void Root::drop_strangers(Moment now) {
  for (Visitor& visitor : visitors_) {
    if (!visitor.rank && visitor.since + kStrangersTime <= now) visitor.socket = {};
  }
}

void Root::check_time(Moment now) {
  if (now < until_ || phase_ == Phase::over) return;
  if (phase_ == Phase::gathering && roll_.ranks() > 0) refuse_all(roll_.missing_text(deadline_));
  // Ranks that are later than the most impatient one are still told why.
  if (phase_ != Phase::refusing || now >= closes_) phase_ = Phase::over;
}

void Root::welcome_all() {
  // First of all, so that who comes too late, or with an id that has served, finds nobody.
  listener_ = {};
  phase_ = Phase::linking;
  until_ = latest_ + kSendTime;
  const Welcome welcome{roll_.members()};
  for (Visitor& visitor : visitors_) {
    if (!visitor.rank) visitor.socket = {};
    if (visitor.socket && !send_message(visitor.socket, welcome, kSendTime)) leave(visitor);
  }
}

void Root::refuse_all(const std::string& reason) {
  reason_ = reason;
  phase_ = phase_ == Phase::linking ? Phase::over : Phase::refusing;
  until_ = closes_;
  for (Visitor& visitor : visitors_) {
    if (visitor.rank && visitor.socket) refuse(visitor);
  }
}

void Root::refuse(Visitor& visitor) {
  send_message(visitor.socket, Refusal{reason_}, kSendTime);
  visitor.socket = {};
  told_.insert(visitor.rank->rank);
  if (told_.size() >= roll_.ranks()) phase_ = Phase::over;
}

void Root::forget_gone() {
  std::erase_if(visitors_, [](const Visitor& visitor) { return !visitor.socket; });
}

}  // namespace conccl::comm
