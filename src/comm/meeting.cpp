// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/meeting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "conccl/core/errors.hpp"

namespace conccl::comm {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr milliseconds kFirstPause = 10ms;
constexpr milliseconds kLongestPause = 200ms;
constexpr milliseconds kLastWords = 1s;

std::uint32_t in_message(milliseconds duration) {
  const auto limit = milliseconds(std::numeric_limits<std::uint32_t>::max());
  return static_cast<std::uint32_t>(std::clamp(duration, 0ms, limit).count());
}

/// A little less than is left, so that the meeting point's answer comes in time.
milliseconds wait_for_answer(Moment until) {
  const auto left = std::chrono::floor<milliseconds>(until - Clock::now());
  return left - std::min<milliseconds>(left / 10, 500ms);
}

std::string late_text(const MeetingPoint& point, const Patience& patience) {
  return fmt::format("no answer from the meeting point at {} within {} ms", to_text(point.address),
                     patience.total.count());
}

std::string nobody_text(const MeetingPoint& point, const Patience& patience) {
  if (point.opening == Opening::later) {
    return fmt::format("nobody listens at {}: rank 0 did not come within {} ms",
                       to_text(point.address), patience.total.count());
  }
  return fmt::format(
      "nobody listens at {}: an id serves one communicator, and its maker must still run, in this "
      "network namespace (containers: --network=host for all, --network=container:NAME, or one "
      "pod)",
      to_text(point.address));
}

std::vector<Introduction> checked(Welcome welcome, const Introduction& self) {
  bool right = welcome.members.size() == self.ranks;
  for (std::size_t i = 0; right && i < welcome.members.size(); ++i) {
    right = welcome.members[i].rank == i;
  }
  if (!right) throw RunError("the meeting point's list of ranks is not that of this communicator");
  return std::move(welcome.members);
}

}  // namespace

std::vector<Introduction> Meeting::attend(const Introduction& self, const Patience& patience) {
  milliseconds pause = kFirstPause;
  while (true) {
    if (auto members = try_to_attend(self, patience)) return std::move(*members);
    if (Clock::now() >= patience.until) throw RunError(nobody_text(point_, patience));
    pause_until(pause, patience.until);
    pause = std::min(2 * pause, kLongestPause);
  }
}

std::optional<Meeting::Members> Meeting::try_to_attend(const Introduction& self,
                                                       const Patience& patience) {
  auto connected = connect_to(point_.address, patience.until);
  if (!connected && point_.opening == Opening::done) {
    throw RunError(nobody_text(point_, patience));
  }
  if (!connected) return std::nullopt;
  socket_ = std::move(*connected);
  buffer_ = MessageBuffer(kMaxBody);
  const Join join{point_.secret, in_message(patience.total),
                  in_message(wait_for_answer(patience.until)), self};
  if (!send_all(socket_, encode(join), patience.until)) return std::nullopt;
  auto answer = next_message(patience);
  if (!answer) return std::nullopt;
  if (const auto* refusal = std::get_if<Refusal>(&*answer)) throw RunError(refusal->reason);
  auto* const welcome = std::get_if<Welcome>(&*answer);
  return checked(welcome != nullptr ? std::move(*welcome) : Welcome{}, self);
}

Meeting::Heard Meeting::listen() {
  try {
    const Intake intake = buffer_.read_from(socket_);
    if (intake == Intake::message) return {intake, buffer_.take()};
    return {intake, {}};
  } catch (const InputError& error) {
    throw RunError(fmt::format("what listens at {} is no meeting point of ConCCL: {}",
                               to_text(point_.address), error.what()));
  }
}

std::optional<Message> Meeting::next_message(const Patience& patience) {
  while (true) {
    Heard heard = listen();
    if (heard.intake == Intake::closed) return std::nullopt;
    if (heard.intake == Intake::message) return std::move(heard.message);
    if (!wait_readable(socket_, patience.until)) throw RunError(late_text(point_, patience));
  }
}

void Meeting::check() {
  if (!socket_) return;
  const Heard heard = listen();
  if (heard.intake == Intake::partial) return;
  if (const auto* refusal = std::get_if<Refusal>(&heard.message)) throw RunError(refusal->reason);
  socket_ = {};
}

void Meeting::check_soon() {
  if (socket_ && wait_readable(socket_, moment_after(kLastWords))) check();
}

void Meeting::finish(const Patience& patience) {
  if (!socket_) return;
  // Longer than the ranks, which then say what they have waited for.
  const Patience longer{patience.until + kLastWords, patience.total};
  if (!send_all(socket_, encode(Linked{}), longer.until)) return;
  const auto answer = next_message(longer);
  if (!answer) return;  // the meeting point is gone, and the links will tell of everything
  if (const auto* refusal = std::get_if<Refusal>(&*answer)) throw RunError(refusal->reason);
}

void Meeting::give_up(const std::string& reason) noexcept try {
  if (socket_) static_cast<void>(send_all(socket_, encode(Refusal{reason}), Clock::now()));
} catch (const std::exception&) {
  return;  // then the meeting point only sees that this rank has ended
}

}  // namespace conccl::comm
