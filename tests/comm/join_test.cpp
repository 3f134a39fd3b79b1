// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/join.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conccl/core/errors.hpp"
#include "tests/comm/join_support.hpp"
#include "tests/comm/process_facts.hpp"
#include "tests/support/environment.hpp"

namespace conccl::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::ThrowsMessage;

const comm::MeetingOptions kOnLoopback{"lo", kJoinPatience};

auto failed_with(const std::string& part) {
  return Field("error", &Attempt::error, HasSubstr(part));
}

class JoinRanks : public testing::TestWithParam<int> {};

TEST_P(JoinRanks, everybody_gets_a_link_to_everybody) {
  const auto id = comm::make_unique_id(kOnLoopback);
  auto attempts = join_together(id, requests(GetParam()));
  expect_linked(attempts);
}

INSTANTIATE_TEST_SUITE_P(Few, JoinRanks, testing::Values(1, 2, 3, 8, 33));

TEST(Join, ranks_may_come_in_any_order_and_late) {
  const auto id = comm::make_unique_id(kOnLoopback);
  std::vector<Attempt> attempts(3);
  std::vector<std::thread> ranks;
  for (const int rank : {2, 0, 1}) {
    ranks.emplace_back([&, rank] {
      const auto place = static_cast<std::size_t>(rank);
      attempts[place] = try_to_join(id, requests(3)[place]);
    });
    std::this_thread::sleep_for(100ms);
  }
  for (std::thread& rank : ranks) rank.join();
  expect_linked(attempts);
}

TEST(Join, the_end_of_a_member_is_seen_on_its_links) {
  const auto id = comm::make_unique_id(kOnLoopback);
  auto attempts = join_together(id, requests(3));
  attempts[1].membership = {};
  EXPECT_FALSE(attempts[0].membership.links[1].receive(kJoinPatience));
  EXPECT_FALSE(attempts[2].membership.links[1].receive(kJoinPatience));
  attempts[0].membership.links[2].send(comm::Retirement{1}, {}, kJoinPatience);
  EXPECT_TRUE(attempts[2].membership.links[0].receive(kJoinPatience));
}

TEST(Join, an_id_serves_once) {
  const auto id = comm::make_unique_id(kOnLoopback);
  ASSERT_EQ(join_together(id, requests(2))[0].error, "");
  const auto again = join_together(id, requests(2));
  EXPECT_THAT(again, Each(failed_with("nobody listens at 127.0.0.1:")));
  EXPECT_THAT(again, Each(failed_with("an id serves one communicator")));
}

TEST(Join, leaves_nothing_behind) {
  const int before = threads();
  const int files = open_descriptors();
  for (int i = 0; i < 100; ++i) {
    const auto id = comm::make_unique_id(kOnLoopback);
    for (const Attempt& attempt : join_together(id, requests(2))) ASSERT_EQ(attempt.error, "");
  }
  EXPECT_TRUE(eventually([before] { return threads() <= before; }));
  EXPECT_TRUE(eventually([files] { return open_descriptors() <= files; }));
}

TEST(Join, over_an_ipv6_address) {
  comm::Address loopback = *comm::parse_host("::1");
  try {
    static_cast<void>(comm::listen_at(loopback));
  } catch (const RunError& error) {
    GTEST_SKIP() << error.what();
  }
  Environment environment;
  loopback.port = comm::local_address(comm::listen_at(loopback)).port;
  environment.set("MASTER_ADDR", "::1");
  environment.set("MASTER_PORT", std::to_string(loopback.port));
  environment.set("CONCCL_SECRET", std::string(32, '6'));
  environment.set("WORLD_SIZE", "2");
  environment.set("RANK", "0");
  auto attempts = join_together(comm::unique_id_from_environment(), requests(2));
  expect_linked(attempts);
}

/// The environment of a run of two ranks at a free port.
class JoinFromEnvironment : public testing::Test {
 protected:
  JoinFromEnvironment() {
    const auto port = comm::local_address(comm::listen_at(*comm::parse_host("127.0.0.1"))).port;
    environment_.set("MASTER_ADDR", "localhost");
    environment_.set("MASTER_PORT", std::to_string(port));
    environment_.set("CONCCL_SECRET", std::string(32, 'a'));
    environment_.set("WORLD_SIZE", "2");
  }
  comm::UniqueId id_of_rank(int rank) {
    environment_.set("RANK", std::to_string(rank));
    return comm::unique_id_from_environment(kOnLoopback);
  }

 private:
  Environment environment_;
};

TEST_F(JoinFromEnvironment, rank_0_may_be_late_and_meets_again_and_again) {
  for (int round = 0; round < 3; ++round) {
    std::vector<Attempt> attempts(2);
    const auto id = id_of_rank(1);
    std::thread other([&] { attempts[1] = try_to_join(id, requests(2)[1]); });
    std::this_thread::sleep_for(150ms);
    attempts[0] = try_to_join(id_of_rank(0), requests(2)[0]);
    other.join();
    expect_linked(attempts);
  }
}

TEST_F(JoinFromEnvironment, without_rank_0_the_deadline_ends_it) {
  auto alone = requests(2)[1];
  alone.deadline = 300ms;
  EXPECT_THAT(try_to_join(id_of_rank(1), alone), failed_with("rank 0 did not come within 300 ms"));
}

TEST(JoinInput, what_cannot_be_is_refused_before_anybody_is_asked) {
  const auto id = comm::make_unique_id({"lo", 100ms});
  const auto joining = [&id](comm::RankOf place, std::string options) {
    return [&id, place, options] {
      static_cast<void>(comm::join(id, {place, options, kJoinPatience}));
    };
  };
  EXPECT_THAT(joining({-1, 2}, ""), ThrowsMessage<InputError>(HasSubstr("rank -1 of 2")));
  EXPECT_THAT(joining({2, 2}, ""), ThrowsMessage<InputError>(HasSubstr("expected 0 to 1")));
  EXPECT_THAT(joining({0, 0}, ""), ThrowsMessage<InputError>(HasSubstr("0 is not in 1 .. 256")));
  EXPECT_THAT(joining({0, 257}, ""),
              ThrowsMessage<InputError>(HasSubstr("257 is not in 1 .. 256")));
  EXPECT_THAT(joining({0, 1}, std::string(600, 'x')),
              ThrowsMessage<InputError>(HasSubstr("at most 512")));
  EXPECT_THROW(static_cast<void>(comm::join({}, {{0, 1}, "", kJoinPatience})), InputError);
}

}  // namespace
}  // namespace conccl::test
