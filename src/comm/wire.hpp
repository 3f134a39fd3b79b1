// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What ranks say to each other while they join and after: messages and their bytes.
///
/// A message is a header of 12 bytes (magic, version, kind, length of the body; little-endian) and
/// a body, whose limit depends on its kind. Bytes come from outside: every length is checked before
/// it is used, every string and list has a limit, and what is left over is an error.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "conccl/comm/unique_id.hpp"

namespace conccl::comm {

using Secret = std::array<std::byte, 16>;
using ProcessId = std::array<std::byte, 16>;

/// Takes as long for equal as for different secrets.
[[nodiscard]] bool equal_in_constant_time(const Secret& a, const Secret& b);

inline constexpr std::uint32_t kWireMagic = 0x4C434343;  // "CCCL"
inline constexpr std::uint16_t kWireVersion = 1;
inline constexpr std::size_t kHeaderBytes = 12;
inline constexpr std::size_t kMaxMembers = kMaxJoined;
inline constexpr std::size_t kMaxName = 128;  ///< host, network and link of an Introduction
inline constexpr std::size_t kMaxOptions = 512;
inline constexpr std::size_t kMaxReason = 2048;
/// Longest body of any message, and of those that may come from a stranger or over a link.
inline constexpr std::size_t kMaxBody = std::size_t{256} * 1024;
inline constexpr std::size_t kMaxShortBody = 4096;

/// What a rank tells of itself.
struct Introduction {
  std::uint32_t rank = 0;
  std::uint32_t ranks = 0;
  std::uint64_t pid = 0;  ///< in its own PID namespace; for messages only
  std::string host;       ///< boot id of the machine: only equal ones can share memory
  std::string network;    ///< its network namespace; for messages only
  std::string link;       ///< abstract socket on which it takes links from higher ranks
  std::string options;    ///< what must be equal on all ranks, as text
};

/// Rank to meeting point.
struct Join {
  Secret secret{};
  std::uint32_t deadline_ms = 0;  ///< of the whole join; for messages
  std::uint32_t patience_ms = 0;  ///< how long from now it waits to be told who is missing
  Introduction introduction;
};
/// Meeting point to rank: everybody, by rank.
struct Welcome {
  std::vector<Introduction> members;
};
/// It will not work out, and why: from the meeting point, and from a rank that gives up, to the
/// meeting point and to its peers.
struct Refusal {
  std::string reason;
};
/// Rank to meeting point: it has its links. And back, when all ranks have theirs.
struct Linked {};
/// First message on a link between two ranks.
struct Greeting {
  Secret secret{};
  std::uint32_t rank = 0;
};
/// Rank to rank: an allocation that calls may name from now on. Its descriptor, if it has one,
/// travels beside the message.
struct Announcement {
  ProcessId owner{};
  std::uint64_t allocation = 0;
  std::uint64_t bytes = 0;
  std::vector<std::byte> data;  ///< at most backend::Shareable::kMaxData
};
/// Rank to rank: an announced allocation is gone.
struct Retirement {
  std::uint64_t allocation = 0;
};

using Message = std::variant<Join, Welcome, Refusal, Linked, Greeting, Announcement, Retirement>;

/// Header and body. Texts are cut to their limits; a longer list is a broken invariant.
[[nodiscard]] std::vector<std::byte> encode(const Message& message);

struct Header {
  std::uint16_t kind = 0;
  std::size_t body_bytes = 0;
};
/// From exactly kHeaderBytes bytes. Throws InputError: not this protocol, another version, an
/// unknown kind, longer than its kind may be.
[[nodiscard]] Header decode_header(std::span<const std::byte> bytes);
/// From exactly the body. Throws InputError saying what is wrong and at which byte.
[[nodiscard]] Message decode_body(const Header& header, std::span<const std::byte> body);
/// Of a whole message, for those that come in one piece.
[[nodiscard]] Message decode(std::span<const std::byte> bytes);

}  // namespace conccl::comm
