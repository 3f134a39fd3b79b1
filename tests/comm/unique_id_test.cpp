// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/comm/unique_id.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/meeting_point.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/core/random_id.hpp"
#include "tests/comm/process_facts.hpp"
#include "tests/support/environment.hpp"

namespace conccl::comm {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

TEST(UniqueId, survives_as_text) {
  const UniqueId id = make_unique_id({"lo", 100ms});
  const std::string text = to_text(id);
  EXPECT_EQ(text.size(), 256u);
  EXPECT_EQ(parse_unique_id(text), id);
  std::string upper = text;
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(parse_unique_id(upper), id);
}

TEST(UniqueId, other_text_is_refused) {
  const std::string text = to_text(make_unique_id({"lo", 100ms}));
  const auto parsing = [](const std::string& other) {
    return [other] { static_cast<void>(parse_unique_id(other)); };
  };
  const auto digits = ThrowsMessage<InputError>(HasSubstr("256 hexadecimal digits"));
  EXPECT_THAT(parsing(""), digits);
  EXPECT_THAT(parsing(text.substr(1)), digits);
  EXPECT_THAT(parsing(text + "00"), digits);
  EXPECT_THAT(parsing("x" + text.substr(1)), digits);
  const auto not_ours = ThrowsMessage<InputError>(HasSubstr("not one that this release"));
  EXPECT_THAT(parsing(std::string(256, '0')), not_ours);
  // Version, who opens, family, port.
  for (const std::size_t byte : {8u, 10u, 11u}) {
    std::string other = text;
    other.replace(2 * byte, 2, "ee");
    EXPECT_THAT(parsing(other), not_ours) << "byte " << byte;
  }
  std::string no_port = text;
  no_port.replace(24, 4, "0000");
  EXPECT_THAT(parsing(no_port), not_ours);
}

TEST(UniqueId, holds_what_was_packed) {
  MeetingPoint point{random_id(), *parse_host("fe80::1"), Opening::later};
  point.address.port = 4711;
  point.address.scope = 3;
  const MeetingPoint same = unpack(pack(point));
  EXPECT_EQ(same.secret, point.secret);
  EXPECT_EQ(same.address, point.address);
  EXPECT_EQ(same.opening, Opening::later);
}

TEST(UniqueId, no_two_are_equal) {
  const MeetingPoint a = unpack(make_unique_id({"lo", 100ms}));
  const MeetingPoint b = unpack(make_unique_id({"lo", 100ms}));
  EXPECT_NE(a.secret, b.secret);
  EXPECT_NE(a.address, b.address);
}

TEST(UniqueId, listens_at_the_interface_it_is_told) {
  test::Environment environment;
  environment.set("CONCCL_SOCKET_IFNAME", std::nullopt);
  EXPECT_THAT(to_text(unpack(make_unique_id({"lo", 100ms})).address), StartsWith("127."));
  EXPECT_THAT(to_text(unpack(make_unique_id({"", 100ms})).address), StartsWith("127."));
  const auto unknown =
      ThrowsMessage<InputError>(testing::AllOf(HasSubstr("nosuch0"), HasSubstr("lo")));
  EXPECT_THAT([] { static_cast<void>(make_unique_id({"nosuch0", 100ms})); }, unknown);
  environment.set("CONCCL_SOCKET_IFNAME", "nosuch0");
  EXPECT_THAT([] { static_cast<void>(make_unique_id({"", 100ms})); }, unknown);
  EXPECT_NO_THROW(static_cast<void>(make_unique_id({"lo", 100ms}))) << "the option goes first";
}

TEST(UniqueId, one_that_nobody_joins_ends_at_its_deadline) {
  const int files = test::open_descriptors();
  const int threads = test::threads();
  for (int i = 0; i < 500; ++i) static_cast<void>(make_unique_id({"lo", 300ms}));
  EXPECT_TRUE(test::eventually([&] { return test::threads() <= threads; }));
  EXPECT_TRUE(test::eventually([&] { return test::open_descriptors() <= files; }));
}

TEST(Address, reads_and_writes_both_families) {
  EXPECT_EQ(to_text(*parse_host("127.0.0.1")), "127.0.0.1:0");
  EXPECT_EQ(to_text(*parse_host("::1")), "[::1]:0");
  EXPECT_FALSE(parse_host("localhost"));
  EXPECT_FALSE(parse_host(""));
  EXPECT_FALSE(parse_host("127.0.0.1 "));
}

TEST(Address, one_that_is_not_of_this_machine_cannot_be_listened_at) {
  const Address far = *parse_host("192.0.2.1");
  EXPECT_THAT([&] { static_cast<void>(listen_at(far)); },
              ThrowsMessage<RunError>(HasSubstr("listen at 192.0.2.1:0")));
}

}  // namespace
}  // namespace conccl::comm
