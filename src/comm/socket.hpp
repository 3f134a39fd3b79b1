// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// TCP sockets and their addresses. Every socket is non-blocking and closed on exec.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "comm/polling.hpp"
#include "conccl/core/descriptor.hpp"

namespace conccl::comm {

enum class Family : std::uint8_t { ipv4 = 4, ipv6 = 6 };

struct Address {
  Family family = Family::ipv4;
  std::uint16_t port = 0;
  std::uint32_t scope = 0;           ///< of a link-local IPv6 address; else 0
  std::array<std::byte, 16> host{};  ///< IPv4: the first 4

  friend bool operator==(const Address&, const Address&) = default;
};

/// "127.0.0.1:4711", "[::1]:4711".
[[nodiscard]] std::string to_text(const Address& address);
/// A numeric address; nullopt for anything else.
[[nodiscard]] std::optional<Address> parse_host(const std::string& text);
/// The address of a network interface, IPv4 before IPv6, with port 0. Throws InputError listing the
/// interfaces that have one.
[[nodiscard]] Address address_of_interface(const std::string& name);

/// Port 0: the system chooses. Throws RunError with the address.
[[nodiscard]] FileDescriptor listen_at(const Address& address);
/// Where a socket is bound.
[[nodiscard]] Address local_address(const FileDescriptor& socket);
/// nullopt: nobody listens there (any more). Throws RunError for all else, and at `until`.
[[nodiscard]] std::optional<FileDescriptor> connect_to(const Address& address, Moment until);

/// False when the other side is gone. Throws RunError when it takes too long.
[[nodiscard]] bool send_all(const FileDescriptor& socket, std::span<const std::byte> bytes,
                            Moment until);

}  // namespace conccl::comm
