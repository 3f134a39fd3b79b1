// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/linking.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "comm/roll.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/core/open_files.hpp"
#include "conccl/core/random_id.hpp"

namespace conccl::comm {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr std::size_t kMaxStrangers = 64;
constexpr milliseconds kFullPause = 5ms;

/// Of the abstract name space: the path begins with a zero byte and ends with the address.
struct AbstractAddress {
  explicit AbstractAddress(const std::string& name) {
    const std::size_t count = std::min(name.size(), sizeof(system.sun_path) - 1);
    system.sun_family = AF_UNIX;
    std::memcpy(system.sun_path + 1, name.data(), count);
    bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + count);
  }
  [[nodiscard]] const sockaddr* generic() const {
    return reinterpret_cast<const sockaddr*>(&system);
  }

  sockaddr_un system{};
  socklen_t bytes = 0;
};

FileDescriptor packet_socket() {
  return FileDescriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

milliseconds left_until(Moment until) {
  return std::max(std::chrono::ceil<milliseconds>(until - Clock::now()), 0ms);
}

}  // namespace

LinkListener::LinkListener()
    : name_("conccl-" + to_hexadecimal(random_id())), socket_(packet_socket()) {
  if (!socket_) throw RunError(no_descriptor("open a socket for links", errno));
  const AbstractAddress address(name_);
  if (bind(socket_.get(), address.generic(), address.bytes) != 0 ||
      listen(socket_.get(), SOMAXCONN) != 0) {
    throw RunError(no_descriptor("listen for links", errno));
  }
}

std::vector<Link> Linking::link_all(const LinkListener& listener, Meeting& meeting,
                                    const Patience& patience) try {
  require_one_network();
  for (std::uint32_t rank = 0; rank < self_; ++rank) {
    connect_to_rank(members_[rank], meeting, patience);
  }
  accept_higher(listener, meeting, patience);
  return std::move(links_);
} catch (const Error& error) {
  // Ranks that have their links would take this one for the one that failed.
  meeting.give_up(error.what());
  for (Link& link : links_) link.refuse(error.what());
  throw;
}

void Linking::require_one_network() const {
  const Introduction& first = members_.front();
  const auto elsewhere = [&first](const Introduction& member) {
    return member.network != first.network;
  };
  const auto other = std::ranges::find_if(members_, elsewhere);
  if (other == members_.end()) return;
  throw RunError(fmt::format(
      "{} is in network namespace {}, {} in {}: ranks need one (containers: --network=host for "
      "all, --network=container:NAME, or one pod)",
      rank_text(first), first.network, rank_text(*other), other->network));
}

/// All ranks will read it.
RunError Linking::own_trouble(const std::string& what) const {
  return RunError(fmt::format("{}: {}", rank_text(members_[self_]), what));
}

bool Linking::try_to_connect(const FileDescriptor& socket, const Introduction& peer) const {
  const AbstractAddress address(peer.link);
  while (connect(socket.get(), address.generic(), address.bytes) != 0) {
    if (errno == EINTR) continue;
    if (errno == EAGAIN) return false;
    if (errno == ECONNREFUSED) {
      throw RunError(fmt::format("{} ended while joining", rank_text(peer)));
    }
    throw own_trouble(no_descriptor(fmt::format("link to {}", rank_text(peer)), errno));
  }
  return true;
}

void Linking::greet_rank(Link& link, const Introduction& peer, const Patience& patience) const {
  try {
    link.send(Greeting{secret_, self_}, {}, left_until(patience.until));
  } catch (const RunError& error) {
    if (link.peer_is_gone()) throw RunError(fmt::format("{} ended while joining", rank_text(peer)));
    throw RunError(fmt::format("{}: {}", rank_text(peer), error.what()));
  }
}

void Linking::connect_to_rank(const Introduction& peer, Meeting& meeting,
                              const Patience& patience) try {
  FileDescriptor socket = packet_socket();
  if (!socket) throw own_trouble(no_descriptor("open a socket for links", errno));
  // A full queue of the listener cannot be polled for.
  while (!try_to_connect(socket, peer)) {
    meeting.check();
    if (Clock::now() >= patience.until) {
      throw RunError(
          fmt::format("{} took no link within {} ms", rank_text(peer), patience.total.count()));
    }
    pause_until(kFullPause, patience.until);
  }
  Link& link = links_[peer.rank];
  link = Link(std::move(socket));
  greet_rank(link, peer, patience);
} catch (const RunError&) {
  // The meeting point may know better which rank it was that failed first.
  meeting.check_soon();
  throw;
}

const Introduction* Linking::first_missing() const {
  for (std::size_t rank = self_ + 1; rank < links_.size(); ++rank) {
    if (!links_[rank].open()) return &members_[rank];
  }
  return nullptr;
}

void Linking::accept_higher(const LinkListener& listener, Meeting& meeting,
                            const Patience& patience) {
  while (const Introduction* missing = first_missing()) {
    std::vector<pollfd> polled{{listener.socket().get(), POLLIN, 0},
                               {meeting.descriptor(), POLLIN, 0}};
    for (const Link& newcomer : newcomers_) polled.push_back({newcomer.descriptor(), POLLIN, 0});
    if (!poll_until(polled, patience.until)) {
      throw RunError(
          fmt::format("{} made no link within {} ms", rank_text(*missing), patience.total.count()));
    }
    for (std::size_t i = 0; i < newcomers_.size(); ++i) {
      if (polled[i + 2].revents != 0) greet(newcomers_[i]);
    }
    std::erase_if(newcomers_, [](const Link& newcomer) { return !newcomer.open(); });
    if (polled[0].revents != 0) accept_newcomer(listener);
    if (polled[1].revents != 0) meeting.check();
  }
}

/// Gives a rank its place, and closes anybody else's connection.
void Linking::greet(Link& newcomer) {
  Link guest = std::exchange(newcomer, Link());
  try {
    const auto delivery = guest.receive(0ms);
    const auto* greeting = delivery ? std::get_if<Greeting>(&delivery->message) : nullptr;
    if (greeting == nullptr || !equal_in_constant_time(greeting->secret, secret_)) return;
    const bool due = greeting->rank > self_ && greeting->rank < links_.size();
    if (due && !links_[greeting->rank].open()) links_[greeting->rank] = std::move(guest);
  } catch (const Error&) {
    return;  // a stranger's rubbish gets no answer
  }
}

void Linking::accept_newcomer(const LinkListener& listener) {
  FileDescriptor socket(
      accept4(listener.socket().get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!socket) {
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ECONNABORTED) return;
    throw own_trouble(no_descriptor("take a link", errno));
  }
  // All ranks may be between their connection and their greeting at once.
  if (newcomers_.size() >= links_.size() + kMaxStrangers) newcomers_.erase(newcomers_.begin());
  newcomers_.emplace_back(std::move(socket));
}

}  // namespace conccl::comm
