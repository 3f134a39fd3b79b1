// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/wire.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "conccl/backend/device.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::comm {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

template <std::size_t kBytes>
std::array<std::byte, kBytes> any_block() {
  std::array<std::byte, kBytes> block;
  for (std::byte& byte : block) byte = static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
  return block;
}

std::string any_text(std::size_t limit) {
  const auto size = *rc::gen::weightedOneOf<std::size_t>(
      {{8, rc::gen::inRange<std::size_t>(0, 20)}, {1, rc::gen::just(limit)}});
  return *rc::gen::container<std::string>(size, rc::gen::arbitrary<char>());
}

Introduction any_introduction() {
  Introduction made;
  made.rank = *rc::gen::arbitrary<std::uint32_t>();
  made.ranks = *rc::gen::arbitrary<std::uint32_t>();
  made.pid = *rc::gen::arbitrary<std::uint64_t>();
  made.host = any_text(kMaxName);
  made.network = any_text(kMaxName);
  made.link = any_text(kMaxName);
  made.options = any_text(kMaxOptions);
  return made;
}

Message any_message() {
  switch (*rc::gen::inRange(0, 7)) {
    case 0:
      return Join{any_block<16>(), *rc::gen::arbitrary<std::uint32_t>(),
                  *rc::gen::arbitrary<std::uint32_t>(), any_introduction()};
    case 1: {
      Welcome welcome;
      const int members = *rc::gen::inRange(0, 5);
      for (int i = 0; i < members; ++i) welcome.members.push_back(any_introduction());
      return welcome;
    }
    case 2:
      return Refusal{any_text(kMaxReason)};
    case 3:
      return Linked{};
    case 4:
      return Greeting{any_block<16>(), *rc::gen::arbitrary<std::uint32_t>()};
    case 5: {
      Announcement made{any_block<16>(),
                        *rc::gen::arbitrary<std::uint64_t>(),
                        *rc::gen::arbitrary<std::uint64_t>(),
                        {}};
      made.data.resize(*rc::gen::inRange<std::size_t>(0, backend::Shareable::kMaxData + 1));
      return made;
    }
    default:
      return Retirement{*rc::gen::arbitrary<std::uint64_t>()};
  }
}

/// Bytes of the body, as the header says them; for tests that falsify it.
void set_body_bytes(std::vector<std::byte>& message, std::uint32_t bytes) {
  for (std::size_t i = 0; i < 4; ++i) message[8 + i] = static_cast<std::byte>(bytes >> (8 * i));
}

/// A fault in outside bytes is an InputError; anything else escapes and fails the test.
std::optional<Message> decode_or_refuse(std::span<const std::byte> bytes) {
  try {
    return decode(bytes);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

RC_GTEST_PROP(Wire, comes_back_as_it_went, ()) {
  const Message sent = any_message();
  const auto bytes = encode(sent);
  const Message got = decode(bytes);
  RC_ASSERT(got.index() == sent.index());
  // Every field is in the bytes (the fixed-bytes tests below), so equal bytes are equal messages.
  RC_ASSERT(encode(got) == bytes);
}

RC_GTEST_PROP(Wire, cut_anywhere_it_is_refused, ()) {
  const auto bytes = encode(any_message());
  for (std::size_t kept = 0; kept < bytes.size(); ++kept) {
    const auto cut = std::span(bytes).first(kept);
    RC_ASSERT(!decode_or_refuse(cut));
    if (kept < kHeaderBytes) continue;
    // The same with a header that admits it.
    std::vector<std::byte> honest(cut.begin(), cut.end());
    set_body_bytes(honest, static_cast<std::uint32_t>(kept - kHeaderBytes));
    RC_ASSERT(!decode_or_refuse(honest));
  }
}

RC_GTEST_PROP(Wire, more_bytes_are_refused, ()) {
  auto bytes = encode(any_message());
  const auto body = static_cast<std::uint32_t>(bytes.size() - kHeaderBytes);
  bytes.push_back({});
  RC_ASSERT(!decode_or_refuse(bytes));
  set_body_bytes(bytes, body + 1);
  RC_ASSERT(!decode_or_refuse(bytes));
}

RC_GTEST_PROP(Wire, flipped_bytes_are_refused_or_are_another_message, ()) {
  auto bytes = encode(any_message());
  const int flips = *rc::gen::inRange(1, 8);
  for (int i = 0; i < flips; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
    bytes[at] ^= static_cast<std::byte>(*rc::gen::inRange(1, 256));
  }
  // What is accepted has no room for bytes of no meaning.
  if (const auto got = decode_or_refuse(bytes)) RC_ASSERT(encode(*got) == bytes);
}

RC_GTEST_PROP(Wire, bytes_of_any_kind_are_refused_or_are_a_message, ()) {
  auto bytes = *rc::gen::arbitrary<std::vector<std::uint8_t>>();
  std::vector<std::byte> whole = encode(Retirement{});
  whole.resize(kHeaderBytes);
  whole[6] = static_cast<std::byte>(*rc::gen::inRange(0, 10));
  for (const auto byte : bytes) whole.push_back(static_cast<std::byte>(byte));
  set_body_bytes(whole, static_cast<std::uint32_t>(bytes.size()));
  if (const auto got = decode_or_refuse(whole)) RC_ASSERT(encode(*got) == whole);
}

TEST(Wire, has_the_bytes_that_other_releases_expect) {
  const auto bytes = encode(Retirement{0x0102030405060708});
  const std::array<unsigned, 20> expected{'C', 'C', 'C', 'L', 1, 0, 7, 0, 8, 0,
                                          0,   0,   8,   7,   6, 5, 4, 3, 2, 1};
  ASSERT_EQ(bytes.size(), expected.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(std::to_integer<unsigned>(bytes[i]), expected[i]) << "byte " << i;
  }
}

TEST(Wire, carries_every_field) {
  Introduction self{3, 8, 1234, "machine", "net:[1]", "conccl-1", "name=world"};
  const Message got = decode(encode(Join{{std::byte{7}}, 2000, 1500, self}));
  const Join& join = std::get<Join>(got);
  EXPECT_EQ(join.secret[0], std::byte{7});
  EXPECT_EQ(join.deadline_ms, 2000u);
  EXPECT_EQ(join.patience_ms, 1500u);
  EXPECT_EQ(join.introduction.rank, 3u);
  EXPECT_EQ(join.introduction.ranks, 8u);
  EXPECT_EQ(join.introduction.pid, 1234u);
  EXPECT_EQ(join.introduction.host, "machine");
  EXPECT_EQ(join.introduction.network, "net:[1]");
  EXPECT_EQ(join.introduction.link, "conccl-1");
  EXPECT_EQ(join.introduction.options, "name=world");
  const Message told = decode(encode(Announcement{{std::byte{9}}, 5, 4096, {std::byte{1}}}));
  const Announcement& announcement = std::get<Announcement>(told);
  EXPECT_EQ(announcement.owner[0], std::byte{9});
  EXPECT_EQ(announcement.allocation, 5u);
  EXPECT_EQ(announcement.bytes, 4096u);
  EXPECT_EQ(announcement.data, std::vector{std::byte{1}});
}

TEST(Wire, the_fullest_welcome_fits) {
  Introduction longest;
  longest.host = longest.network = longest.link = std::string(2 * kMaxName, 'x');
  longest.options = std::string(2 * kMaxOptions, 'x');
  const Message got = decode(encode(Welcome{std::vector(kMaxMembers, longest)}));
  const Welcome& welcome = std::get<Welcome>(got);
  ASSERT_EQ(welcome.members.size(), kMaxMembers);
  EXPECT_EQ(welcome.members.back().host.size(), kMaxName);
  EXPECT_EQ(welcome.members.back().options.size(), kMaxOptions);
}

TEST(Wire, what_the_sender_may_not_say_is_a_defect) {
  EXPECT_THROW((void)encode(Welcome{std::vector<Introduction>(kMaxMembers + 1)}), BrokenInvariant);
  Announcement large;
  large.data.resize(backend::Shareable::kMaxData + 1);
  EXPECT_THROW((void)encode(large), BrokenInvariant);
}

TEST(Wire, a_header_names_its_fault) {
  const auto good = encode(Refusal{"no"});
  const auto with = [&good](std::size_t at, unsigned value) {
    std::vector<std::byte> header(good.begin(), good.begin() + kHeaderBytes);
    header[at] = static_cast<std::byte>(value);
    return header;
  };
  const auto refused = [](const std::vector<std::byte>& bytes) {
    return [bytes] { static_cast<void>(decode_header(bytes)); };
  };
  EXPECT_THAT(refused(with(0, 'X')), ThrowsMessage<InputError>(HasSubstr("not 4c434343")));
  EXPECT_THAT(refused(with(4, 2)), ThrowsMessage<InputError>(HasSubstr("version 2")));
  EXPECT_THAT(refused(with(6, 0)), ThrowsMessage<InputError>(HasSubstr("kind 0")));
  EXPECT_THAT(refused(with(6, 8)), ThrowsMessage<InputError>(HasSubstr("kind 8")));
  EXPECT_THAT(refused(with(10, 1)), ThrowsMessage<InputError>(HasSubstr("at most 4096")));
  EXPECT_THAT(refused({}), ThrowsMessage<InputError>(HasSubstr("4 bytes expected at byte 0")));
  std::vector<std::byte> long_header = with(0, 'C');
  long_header.push_back({});
  EXPECT_THAT(refused(long_header), ThrowsMessage<InputError>(HasSubstr("1 more")));
}

TEST(Wire, a_length_over_the_limit_is_refused_before_it_is_used) {
  auto bytes = encode(Refusal{std::string(100, 'x')});
  for (std::size_t i = 0; i < 4; ++i) bytes[kHeaderBytes + i] = std::byte{0xFF};
  EXPECT_THAT([&] { static_cast<void>(decode(bytes)); },
              ThrowsMessage<InputError>(HasSubstr("a length of 4294967295")));
  auto welcome = encode(Welcome{});
  for (std::size_t i = 0; i < 4; ++i) welcome[kHeaderBytes + i] = std::byte{0xFF};
  EXPECT_THAT([&] { static_cast<void>(decode(welcome)); },
              ThrowsMessage<InputError>(HasSubstr("at most 256")));
}

TEST(Wire, secrets_differ_by_any_byte) {
  const Secret secret{std::byte{1}, std::byte{2}};
  EXPECT_TRUE(equal_in_constant_time(secret, Secret(secret)));
  for (std::size_t i = 0; i < secret.size(); ++i) {
    Secret other = secret;
    other[i] ^= std::byte{0x80};
    EXPECT_FALSE(equal_in_constant_time(secret, other)) << "byte " << i;
  }
}

}  // namespace
}  // namespace conccl::comm
