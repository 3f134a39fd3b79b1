// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Messages between ranks: what is decoded is encoded to the same bytes, whether it came in one
/// piece or as header and body.

#include <algorithm>
#include <span>

#include "comm/wire.hpp"
#include "tests/fuzz/support.hpp"

namespace conccl::comm {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::string_view kName = "message";

void check_encoding(const Message& message, Bytes expected) {
  const auto again = encode(message);
  ensure(std::equal(again.begin(), again.end(), expected.begin(), expected.end()),
         "a message is encoded to the bytes it was decoded from");
}

/// The input as a whole message.
void check_message(Bytes bytes) {
  const auto message = fuzz::accepted(kName, [&] { return decode(bytes); });
  if (!message) return;
  check_encoding(*message, bytes);
  const Header header = decode_header(bytes.first(kHeaderBytes));
  ensure_equal(header.body_bytes, bytes.size() - kHeaderBytes, "length in the header");
  ensure(header.body_bytes <= kMaxBody, "a body has a limit");
  check_encoding(decode_body(header, bytes.subspan(kHeaderBytes)), bytes);
}

/// The input as the kind of a message and its body: no header that has to fit.
void check_body(Bytes bytes) {
  if (bytes.empty()) return;
  const auto kind = std::to_integer<unsigned>(bytes.front()) % std::variant_size_v<Message> + 1;
  const Bytes body = bytes.subspan(1);
  const Header header{static_cast<std::uint16_t>(kind), body.size()};
  const auto message = fuzz::accepted(kName, [&] { return decode_body(header, body); });
  if (!message) return;
  ensure_equal(message->index() + 1, kind, "kind of what was decoded");
  const auto again = encode(*message);
  ensure(std::ranges::equal(Bytes(again).subspan(kHeaderBytes), body),
         "a body is encoded to the bytes it was decoded from");
}

}  // namespace
}  // namespace conccl::comm

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  conccl::comm::check_message(bytes);
  conccl::comm::check_body(bytes);
  return 0;
}
