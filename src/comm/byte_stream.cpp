// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/byte_stream.hpp"

#include <fmt/format.h>

#include "conccl/core/errors.hpp"

namespace conccl::comm {

void ByteWriter::put_text(std::string_view text, std::size_t limit) {
  put_list(std::as_bytes(std::span(text.substr(0, limit))), limit);
}

void ByteWriter::put_list(std::span<const std::byte> list, std::size_t limit) {
  ensure(list.size() <= limit, "a list in a message is within its limit");
  put(static_cast<std::uint32_t>(list.size()));
  put(list);
}

std::span<const std::byte> ByteReader::take(std::size_t count) {
  if (count > bytes_.size() - at_) {
    throw InputError(fmt::format("message: {} bytes expected at byte {}, {} are left", count, at_,
                                 bytes_.size() - at_));
  }
  const auto taken = bytes_.subspan(at_, count);
  at_ += count;
  return taken;
}

std::size_t ByteReader::get_count(std::size_t limit) {
  const auto count = get<std::uint32_t>();
  if (count > limit) {
    throw InputError(fmt::format("message: a length of {} before byte {}, at most {} is allowed",
                                 count, at_, limit));
  }
  return count;
}

std::string ByteReader::get_text(std::size_t limit) {
  const auto raw = take(get_count(limit));
  std::string text(raw.size(), '\0');
  std::ranges::transform(raw, text.begin(), [](std::byte b) { return static_cast<char>(b); });
  return text;
}

std::vector<std::byte> ByteReader::get_list(std::size_t limit) {
  const auto raw = take(get_count(limit));
  return {raw.begin(), raw.end()};
}

void ByteReader::finish() const {
  if (at_ == bytes_.size()) return;
  throw InputError(
      fmt::format("message: ends at byte {}, but {} more follow", at_, bytes_.size() - at_));
}

}  // namespace conccl::comm
