// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/link.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "comm/polling.hpp"
#include "conccl/backend/device.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/core/open_files.hpp"

namespace conccl::comm {
namespace {

constexpr std::size_t kMaxPacket = kHeaderBytes + kMaxShortBody;
constexpr std::size_t kMaxDescriptors = backend::Shareable::kMaxDescriptors;
// One too many is wrong, but must be taken in order to be closed.
constexpr std::size_t kRoomForDescriptors = kMaxDescriptors + 1;

/// Room for the control part of a packet.
struct alignas(cmsghdr) Control {
  std::array<std::byte, CMSG_SPACE(kRoomForDescriptors * sizeof(int))> bytes{};
};

void attach(msghdr& header, Control& control, std::span<const FileDescriptor> descriptors) {
  const std::size_t bytes = descriptors.size() * sizeof(int);
  control = {};
  header.msg_control = control.bytes.data();
  header.msg_controllen = CMSG_SPACE(bytes);
  cmsghdr* const part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(bytes);
  unsigned char* place = CMSG_DATA(part);
  for (const FileDescriptor& each : descriptors) {
    const int number = each.get();
    std::memcpy(place, &number, sizeof number);
    place += sizeof number;
  }
}

/// All that came, each with its owner, so that none leaks.
std::vector<FileDescriptor> detach(msghdr& header) {
  std::vector<FileDescriptor> found;
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int value = -1;
      std::memcpy(&value, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
      found.emplace_back(value);
    }
  }
  return found;
}

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK; }
bool peer_gone(int error) { return error == EPIPE || error == ECONNRESET; }

[[noreturn]] void throw_not_sent(int error) {
  if (peer_gone(error)) throw RunError("link: the peer has closed it");
  throw RunError(no_descriptor("link: send", error));
}

[[noreturn]] void throw_late(std::string_view what, std::chrono::milliseconds limit) {
  throw RunError(fmt::format("link: {} within {} ms", what, limit.count()));
}

struct Packet {
  std::array<std::byte, kMaxPacket> bytes;
  Control control;
  msghdr header{};
  iovec part{};
};

/// Bytes received, 0 at the end; nothing when there is nothing yet.
std::optional<std::size_t> receive_packet(const FileDescriptor& socket, Packet& packet) {
  packet.part = {packet.bytes.data(), packet.bytes.size()};
  packet.header = {};
  packet.header.msg_iov = &packet.part;
  packet.header.msg_iovlen = 1;
  packet.header.msg_control = packet.control.bytes.data();
  packet.header.msg_controllen = packet.control.bytes.size();
  ssize_t got = recvmsg(socket.get(), &packet.header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  // Reported once, ahead of what the peer had sent before it closed with messages unread.
  if (got < 0 && errno == ECONNRESET) {
    got = recvmsg(socket.get(), &packet.header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  }
  if (got >= 0) return static_cast<std::size_t>(got);
  if (peer_gone(errno)) {
    packet.header.msg_controllen = 0;
    return 0;
  }
  if (would_block(errno) || errno == EINTR) return std::nullopt;
  throw RunError(no_descriptor("link: receive", errno));
}

Delivery unpack(Packet& packet, std::size_t bytes) {
  auto descriptors = detach(packet.header);
  if ((packet.header.msg_flags & MSG_TRUNC) != 0) {
    throw InputError(fmt::format("link: a message of more than {} bytes", kMaxPacket));
  }
  if ((packet.header.msg_flags & MSG_CTRUNC) != 0) {
    throw RunError(
        "link: descriptors got lost: too many came, or this process may open no more files");
  }
  if (descriptors.size() > kMaxDescriptors) {
    throw InputError(fmt::format("link: {} descriptors beside one message, at most {} are allowed",
                                 descriptors.size(), kMaxDescriptors));
  }
  return {decode(std::span(packet.bytes).first(bytes)), std::move(descriptors)};
}

}  // namespace

void Link::send(const Message& message, std::span<const FileDescriptor> beside,
                std::chrono::milliseconds limit) {
  const Moment until = moment_after(limit);
  auto bytes = encode(message);
  ensure(bytes.size() <= kMaxPacket, "a message over a link is a short one");
  iovec part{bytes.data(), bytes.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  Control control;
  ensure(beside.size() <= kMaxDescriptors, "a message has no more descriptors than may travel");
  if (!beside.empty()) attach(header, control, beside);
  while (sendmsg(socket_.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    if (errno == EINTR) continue;
    if (!would_block(errno)) throw_not_sent(errno);
    if (!wait_writable(socket_, until)) throw_late("the peer did not take a message", limit);
  }
}

std::optional<Delivery> Link::receive(std::chrono::milliseconds limit) {
  const Moment until = moment_after(limit);
  Packet packet;
  while (true) {
    const auto bytes = receive_packet(socket_, packet);
    if (bytes && *bytes == 0) {
      detach(packet.header);
      return std::nullopt;
    }
    if (bytes) return unpack(packet, *bytes);
    if (!wait_readable(socket_, until)) throw_late("no message came", limit);
  }
}

bool Link::peer_is_gone() const {
  pollfd polled{socket_.get(), POLLOUT, 0};
  return poll(&polled, 1, 0) > 0 && (polled.revents & (POLLHUP | POLLERR)) != 0;
}

void Link::refuse(const std::string& reason) noexcept try {
  if (open()) send(Refusal{reason}, {}, std::chrono::milliseconds(0));
} catch (const std::exception&) {
  return;  // then the end of the link is all the peer gets
}

}  // namespace conccl::comm
