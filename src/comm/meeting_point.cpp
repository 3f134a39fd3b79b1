// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/meeting_point.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "comm/byte_stream.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::comm {
namespace {

constexpr std::uint64_t kMagic = 0x64694C43436E6F43;  // "ConCCLid"
constexpr std::uint16_t kVersion = 1;

int digit_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

void require(bool fits) {
  if (!fits) throw InputError("unique id: not one that this release of ConCCL has made");
}

}  // namespace

UniqueId pack(const MeetingPoint& point) {
  ByteWriter out;
  out.put(kMagic);
  out.put(kVersion);
  out.put(static_cast<std::uint8_t>(point.opening));
  out.put(static_cast<std::uint8_t>(point.address.family));
  out.put(point.address.port);
  out.put(point.address.scope);
  out.put(std::span<const std::byte>(point.address.host));
  out.put(std::span<const std::byte>(point.secret));
  UniqueId id;
  std::ranges::copy(out.take(), id.bytes.begin());
  return id;
}

MeetingPoint unpack(const UniqueId& id) {
  ByteReader in(id.bytes);
  require(in.get<std::uint64_t>() == kMagic);
  require(in.get<std::uint16_t>() == kVersion);
  MeetingPoint point;
  const auto opening = in.get<std::uint8_t>();
  require(opening <= static_cast<std::uint8_t>(Opening::later));
  point.opening = static_cast<Opening>(opening);
  const auto family = in.get<std::uint8_t>();
  require(family == 4 || family == 6);
  point.address.family = static_cast<Family>(family);
  point.address.port = in.get<std::uint16_t>();
  point.address.scope = in.get<std::uint32_t>();
  point.address.host = in.get_block<16>();
  point.secret = in.get_block<sizeof(Secret)>();
  require(point.address.port != 0);
  return point;
}

std::string to_hexadecimal(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<int>(byte));
  return text;
}

bool from_hexadecimal(std::string_view text, std::span<std::byte> bytes) {
  if (text.size() != 2 * bytes.size()) return false;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const int high = digit_value(text[2 * i]);
    const int low = digit_value(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    bytes[i] = static_cast<std::byte>(high * 16 + low);
  }
  return true;
}

}  // namespace conccl::comm
