// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/wire.hpp"

#include <fmt/format.h>

#include <type_traits>

#include "comm/byte_stream.hpp"
#include "conccl/backend/device.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::comm {
namespace {

constexpr std::size_t kMaxData = backend::Shareable::kMaxData;
// Numbers, and the lengths of four texts.
constexpr std::size_t kMaxIntroduction = 16 + 4 * 4 + 3 * kMaxName + kMaxOptions;
static_assert(4 + kMaxMembers * kMaxIntroduction <= kMaxBody);
static_assert(sizeof(Secret) + 8 + kMaxIntroduction <= kMaxShortBody);
static_assert(4 + kMaxReason <= kMaxShortBody);

void write(ByteWriter& out, const Introduction& introduction) {
  out.put(introduction.rank);
  out.put(introduction.ranks);
  out.put(introduction.pid);
  out.put_text(introduction.host, kMaxName);
  out.put_text(introduction.network, kMaxName);
  out.put_text(introduction.link, kMaxName);
  out.put_text(introduction.options, kMaxOptions);
}

void write(ByteWriter& out, const Join& join) {
  out.put(std::span<const std::byte>(join.secret));
  out.put(join.deadline_ms);
  out.put(join.patience_ms);
  write(out, join.introduction);
}

void write(ByteWriter& out, const Welcome& welcome) {
  ensure(welcome.members.size() <= kMaxMembers, "no more ranks meet than can");
  out.put(static_cast<std::uint32_t>(welcome.members.size()));
  for (const Introduction& member : welcome.members) write(out, member);
}

void write(ByteWriter& out, const Refusal& refusal) { out.put_text(refusal.reason, kMaxReason); }

void write(ByteWriter&, const Linked&) {}

void write(ByteWriter& out, const Greeting& greeting) {
  out.put(std::span<const std::byte>(greeting.secret));
  out.put(greeting.rank);
}

void write(ByteWriter& out, const Announcement& announcement) {
  out.put(std::span<const std::byte>(announcement.owner));
  out.put(announcement.allocation);
  out.put(announcement.bytes);
  out.put_list(announcement.data, kMaxData);
}

void write(ByteWriter& out, const Retirement& retirement) { out.put(retirement.allocation); }

void read(ByteReader& in, Introduction& introduction) {
  introduction.rank = in.get<std::uint32_t>();
  introduction.ranks = in.get<std::uint32_t>();
  introduction.pid = in.get<std::uint64_t>();
  introduction.host = in.get_text(kMaxName);
  introduction.network = in.get_text(kMaxName);
  introduction.link = in.get_text(kMaxName);
  introduction.options = in.get_text(kMaxOptions);
}

void read(ByteReader& in, Join& join) {
  join.secret = in.get_block<sizeof(Secret)>();
  join.deadline_ms = in.get<std::uint32_t>();
  join.patience_ms = in.get<std::uint32_t>();
  read(in, join.introduction);
}

void read(ByteReader& in, Welcome& welcome) {
  const std::size_t count = in.get_count(kMaxMembers);
  for (std::size_t i = 0; i < count; ++i) read(in, welcome.members.emplace_back());
}

void read(ByteReader& in, Refusal& refusal) { refusal.reason = in.get_text(kMaxReason); }

void read(ByteReader&, Linked&) {}

void read(ByteReader& in, Greeting& greeting) {
  greeting.secret = in.get_block<sizeof(Secret)>();
  greeting.rank = in.get<std::uint32_t>();
}

void read(ByteReader& in, Announcement& announcement) {
  announcement.owner = in.get_block<sizeof(ProcessId)>();
  announcement.allocation = in.get<std::uint64_t>();
  announcement.bytes = in.get<std::uint64_t>();
  announcement.data = in.get_list(kMaxData);
}

void read(ByteReader& in, Retirement& retirement) {
  retirement.allocation = in.get<std::uint64_t>();
}

constexpr std::size_t kKinds = std::variant_size_v<Message>;

// A message's kind is its place in `Message`, from 1.
template <std::size_t kIndex = 0>
Message read_kind(std::size_t index, ByteReader& in) {
  if constexpr (kIndex + 1 < kKinds) {
    if (index != kIndex) return read_kind<kIndex + 1>(index, in);
  }
  std::variant_alternative_t<kIndex, Message> message;
  read(in, message);
  return message;
}

constexpr std::size_t max_body(std::size_t index) {
  constexpr std::size_t kWelcome = 1;
  static_assert(std::is_same_v<std::variant_alternative_t<kWelcome, Message>, Welcome>);
  return index == kWelcome ? kMaxBody : kMaxShortBody;
}

}  // namespace

bool equal_in_constant_time(const Secret& a, const Secret& b) {
  // Volatile, so that no compiler turns the loop into one that stops at the first difference.
  volatile unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = difference | std::to_integer<unsigned>(a[i] ^ b[i]);
  }
  return difference == 0;
}

std::vector<std::byte> encode(const Message& message) {
  ByteWriter body;
  std::visit([&body](const auto& kind) { write(body, kind); }, message);
  const auto bytes = body.take();
  ByteWriter whole;
  whole.put(kWireMagic);
  whole.put(kWireVersion);
  whole.put(static_cast<std::uint16_t>(message.index() + 1));
  whole.put(static_cast<std::uint32_t>(bytes.size()));
  whole.put(std::span<const std::byte>(bytes));
  return whole.take();
}

Header decode_header(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  const auto magic = in.get<std::uint32_t>();
  const auto version = in.get<std::uint16_t>();
  const Header header{in.get<std::uint16_t>(), in.get<std::uint32_t>()};
  in.finish();
  if (magic != kWireMagic) {
    throw InputError(fmt::format("message: begins with {:08x}, not {:08x}", magic, kWireMagic));
  }
  if (version != kWireVersion) {
    throw InputError(
        fmt::format("message: version {} of the protocol, not {}; all ranks need the same release",
                    version, kWireVersion));
  }
  if (header.kind < 1 || header.kind > kKinds) {
    throw InputError(
        fmt::format("message: kind {} is none of those from 1 to {}", header.kind, kKinds));
  }
  if (header.body_bytes > max_body(header.kind - 1u)) {
    throw InputError(fmt::format("message: kind {} with {} bytes, at most {} are allowed",
                                 header.kind, header.body_bytes, max_body(header.kind - 1u)));
  }
  return header;
}

Message decode_body(const Header& header, std::span<const std::byte> body) {
  ensure(header.kind >= 1 && header.kind <= kKinds, "the header was decoded");
  ByteReader in(body);
  Message message = read_kind(header.kind - 1u, in);
  in.finish();
  return message;
}

Message decode(std::span<const std::byte> bytes) {
  const Header header = decode_header(bytes.first(std::min(bytes.size(), kHeaderBytes)));
  const auto body = bytes.subspan(kHeaderBytes);
  if (body.size() != header.body_bytes) {
    throw InputError(fmt::format("message: a body of {} bytes announced, {} are there",
                                 header.body_bytes, body.size()));
  }
  return decode_body(header, body);
}

}  // namespace conccl::comm
