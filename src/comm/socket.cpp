// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/socket.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "conccl/core/errors.hpp"
#include "conccl/core/open_files.hpp"

namespace conccl::comm {
namespace {

/// An address as the system wants it.
struct SystemAddress {
  sockaddr_storage storage{};
  socklen_t bytes = sizeof(sockaddr_storage);

  sockaddr* generic() { return reinterpret_cast<sockaddr*>(&storage); }
};

SystemAddress to_system(const Address& address) {
  SystemAddress system;
  if (address.family == Family::ipv4) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(address.port);
    std::memcpy(&in.sin_addr, address.host.data(), sizeof(in.sin_addr));
    std::memcpy(&system.storage, &in, sizeof(in));
    system.bytes = sizeof(in);
  } else {
    sockaddr_in6 in{};
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(address.port);
    in.sin6_scope_id = address.scope;
    std::memcpy(&in.sin6_addr, address.host.data(), sizeof(in.sin6_addr));
    std::memcpy(&system.storage, &in, sizeof(in));
    system.bytes = sizeof(in);
  }
  return system;
}

int system_family(const Address& address) {
  return address.family == Family::ipv4 ? AF_INET : AF_INET6;
}

FileDescriptor open_socket(const Address& address) {
  FileDescriptor opened(
      socket(system_family(address), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!opened) {
    throw RunError(no_descriptor(fmt::format("open a socket for {}", to_text(address)), errno));
  }
  return opened;
}

bool nobody_there(int error) {
  return error == ECONNREFUSED || error == ECONNRESET || error == ECONNABORTED;
}

/// The error of a connection that was begun; 0: it stands.
int outcome(const FileDescriptor& socket) {
  int error = 0;
  socklen_t bytes = sizeof(error);
  if (getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &bytes) != 0) return errno;
  return error;
}

}  // namespace

std::string to_text(const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(system_family(address), address.host.data(), text.data(), text.size());
  if (address.family == Family::ipv4) return fmt::format("{}:{}", text.data(), address.port);
  return fmt::format("[{}]:{}", text.data(), address.port);
}

std::optional<Address> parse_host(const std::string& text) {
  Address address;
  if (inet_pton(AF_INET, text.c_str(), address.host.data()) == 1) return address;
  address.family = Family::ipv6;
  if (inet_pton(AF_INET6, text.c_str(), address.host.data()) == 1) return address;
  return std::nullopt;
}

FileDescriptor listen_at(const Address& address) {
  FileDescriptor listener = open_socket(address);
  SystemAddress system = to_system(address);
  const int on = 1;
  setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(listener.get(), system.generic(), system.bytes) != 0 ||
      listen(listener.get(), SOMAXCONN) != 0) {
    throw RunError(no_descriptor(fmt::format("listen at {}", to_text(address)), errno));
  }
  return listener;
}

Address local_address(const FileDescriptor& socket) {
  SystemAddress system;
  if (getsockname(socket.get(), system.generic(), &system.bytes) != 0) {
    throw RunError(no_descriptor("ask for the address of a socket", errno));
  }
  Address address;
  if (system.storage.ss_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &system.storage, sizeof(in));
    address.port = ntohs(in.sin_port);
    std::memcpy(address.host.data(), &in.sin_addr, sizeof(in.sin_addr));
  } else {
    sockaddr_in6 in{};
    std::memcpy(&in, &system.storage, sizeof(in));
    address = {Family::ipv6, ntohs(in.sin6_port), in.sin6_scope_id, {}};
    std::memcpy(address.host.data(), &in.sin6_addr, sizeof(in.sin6_addr));
  }
  return address;
}

std::optional<FileDescriptor> connect_to(const Address& address, Moment until) {
  FileDescriptor socket = open_socket(address);
  SystemAddress system = to_system(address);
  int error = connect(socket.get(), system.generic(), system.bytes) == 0 ? 0 : errno;
  if (error == EINPROGRESS || error == EINTR) {
    error = wait_writable(socket, until) ? outcome(socket) : ETIMEDOUT;
  }
  if (nobody_there(error)) return std::nullopt;
  if (error == ENETUNREACH || error == EHOSTUNREACH) {
    throw RunError(fmt::format(
        "connect to {}: {}; ranks need one network namespace (containers: --network=host for all, "
        "--network=container:NAME, or one pod)",
        to_text(address), std::strerror(error)));
  }
  if (error != 0) {
    throw RunError(no_descriptor(fmt::format("connect to {}", to_text(address)), error));
  }
  // Where nobody listens at a port of the ephemeral range, a socket may be connected to itself.
  if (local_address(socket) == address) return std::nullopt;
  return socket;
}

bool send_all(const FileDescriptor& socket, std::span<const std::byte> bytes, Moment until) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!wait_writable(socket, until)) {
        throw RunError("send: the other side takes nothing within the time");
      }
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace conccl::comm
