// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "comm/meeting_point.hpp"
#include "conccl/comm/unique_id.hpp"
#include "conccl/core/errors.hpp"
#include "tests/support/environment.hpp"

namespace conccl::comm {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

constexpr const char* kSecret = "00112233445566778899aAbBcCdDeEfF";

/// A run that is right in everything but what the test changes.
class FromEnvironment : public testing::Test {
 protected:
  FromEnvironment() {
    set("RANK", "1");
    set("WORLD_SIZE", "4");
    set("LOCAL_RANK", std::nullopt);
    set("MASTER_ADDR", "127.0.0.1");
    set("MASTER_PORT", "4711");
    set("CONCCL_PORT", std::nullopt);
    set("CONCCL_SECRET", kSecret);
  }
  void set(const std::string& name, const std::optional<std::string>& value) {
    environment_.set(name, value);
  }

 private:
  test::Environment environment_;
};

TEST_F(FromEnvironment, a_place_is_read) {
  EXPECT_TRUE(launched_by_environment());
  const Place place = place_from_environment();
  EXPECT_EQ(std::tuple(place.rank, place.ranks, place.local_rank), std::tuple(1, 4, 1));
  set("LOCAL_RANK", "0");
  EXPECT_EQ(place_from_environment().local_rank, 0);
  set("RANK", std::nullopt);
  EXPECT_FALSE(launched_by_environment());
}

TEST_F(FromEnvironment, other_ranks_get_an_id_for_a_point_that_opens_later) {
  const MeetingPoint point = unpack(unique_id_from_environment());
  EXPECT_EQ(point.opening, Opening::later);
  EXPECT_EQ(to_text(point.address), "127.0.0.1:4711");
  EXPECT_EQ(to_hexadecimal(point.secret), "00112233445566778899aabbccddeeff");
  set("MASTER_ADDR", "localhost");
  EXPECT_EQ(unpack(unique_id_from_environment()).address, point.address);
  set("CONCCL_PORT", "4712");
  EXPECT_EQ(to_text(unpack(unique_id_from_environment()).address), "127.0.0.1:4712");
  set("MASTER_ADDR", "::1");
  EXPECT_EQ(to_text(unpack(unique_id_from_environment()).address), "[::1]:4712");
}

TEST_F(FromEnvironment, rank_0_listens_there_and_alone) {
  const FileDescriptor free = listen_at(*parse_host("127.0.0.1"));
  set("RANK", "0");
  set("MASTER_PORT", std::to_string(local_address(free).port));
  EXPECT_THAT([] { static_cast<void>(unique_id_from_environment({"", 100ms})); },
              ThrowsMessage<RunError>(HasSubstr("listen at 127.0.0.1:")));
}

struct Wrong {
  const char* name;
  const char* value;  ///< null: not set
};

class WrongVariable : public FromEnvironment, public testing::WithParamInterface<Wrong> {};

TEST_P(WrongVariable, is_named) {
  const auto [name, value] = GetParam();
  set(name, value == nullptr ? std::nullopt : std::optional<std::string>(value));
  EXPECT_THAT([] { static_cast<void>(unique_id_from_environment({"", 100ms})); },
              ThrowsMessage<InputError>(HasSubstr(name)));
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongVariable,
    testing::Values(
        Wrong{"RANK", nullptr}, Wrong{"RANK", ""}, Wrong{"RANK", "-1"}, Wrong{"RANK", "4"},
        Wrong{"RANK", "1x"}, Wrong{"RANK", " 1"}, Wrong{"RANK", "+1"}, Wrong{"RANK", "99999999999"},
        Wrong{"WORLD_SIZE", nullptr}, Wrong{"WORLD_SIZE", "0"}, Wrong{"WORLD_SIZE", "257"},
        Wrong{"WORLD_SIZE", "four"}, Wrong{"LOCAL_RANK", "4"}, Wrong{"LOCAL_RANK", ""},
        Wrong{"MASTER_ADDR", nullptr}, Wrong{"MASTER_ADDR", "node0.example"},
        Wrong{"MASTER_ADDR", ""}, Wrong{"MASTER_PORT", nullptr}, Wrong{"MASTER_PORT", "0"},
        Wrong{"MASTER_PORT", "65536"}, Wrong{"MASTER_PORT", "80 "}, Wrong{"CONCCL_PORT", "x"},
        Wrong{"CONCCL_SECRET", nullptr}, Wrong{"CONCCL_SECRET", ""}, Wrong{"CONCCL_SECRET", "0011"},
        Wrong{"CONCCL_SECRET", "0x112233445566778899aabbccddeeff"}));

TEST_F(FromEnvironment, the_secret_stays_out_of_messages) {
  set("CONCCL_SECRET", "hunter2hunter2");
  EXPECT_THAT([] { static_cast<void>(unique_id_from_environment()); },
              ThrowsMessage<InputError>(AllOf(HasSubstr("32"), Not(HasSubstr("hunter2")))));
}

}  // namespace
}  // namespace conccl::comm
