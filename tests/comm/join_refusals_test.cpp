// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "comm/join.hpp"
#include "tests/comm/join_support.hpp"

namespace conccl::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::Lt;

const comm::MeetingOptions kOnLoopback{"lo", kJoinPatience};

auto failed_with(const std::string& part) {
  return Field("error", &Attempt::error, HasSubstr(part));
}
/// Nobody waited for a deadline.
auto at_once() { return Field("took", &Attempt::took, Lt(kJoinPatience / 2)); }

std::string reason_in(const std::optional<comm::Message>& message) {
  const auto* const refusal = message ? std::get_if<comm::Refusal>(&*message) : nullptr;
  return refusal != nullptr ? refusal->reason : "(no refusal)";
}

TEST(JoinRefusals, another_secret_is_refused_alone) {
  const auto id = comm::make_unique_id(kOnLoopback);
  comm::MeetingPoint wrong = comm::unpack(id);
  wrong.secret[15] ^= std::byte{1};
  Attempt stranger;
  std::vector<Attempt> attempts(2);
  std::thread early([&] { attempts[0] = try_to_join(id, requests(2)[0]); });
  stranger = try_to_join(comm::pack(wrong), requests(2)[1]);
  attempts[1] = try_to_join(id, requests(2)[1]);
  early.join();
  EXPECT_THAT(stranger, failed_with("not the id of this communicator"));
  expect_linked(attempts);
}

TEST(JoinRefusals, a_number_taken_twice) {
  const auto id = comm::make_unique_id(kOnLoopback);
  auto wrong = requests(4);
  wrong[3].place.rank = 1;
  const auto attempts = join_together(id, wrong);
  EXPECT_THAT(attempts, Each(failed_with("two ranks have the number 1: processes ")));
  EXPECT_THAT(attempts, Each(at_once()));
}

TEST(JoinRefusals, both_processes_of_a_number_taken_twice_are_named) {
  const auto id = comm::make_unique_id(kOnLoopback);
  const comm::Secret secret = comm::unpack(id).secret;
  const auto first = call_on(id);
  const auto second = call_on(id);
  comm::Introduction self = pretend(0, 2);
  say(first, comm::encode(comm::Join{secret, 60'000, 60'000, self}));
  self.pid = 77;
  // The connections are read in the order in which they were made only if the first is read first.
  std::this_thread::sleep_for(50ms);
  say(second, comm::encode(comm::Join{secret, 60'000, 60'000, self}));
  const std::string expected = "two ranks have the number 0: processes 4242 and 77";
  EXPECT_EQ(reason_in(hear(first)), expected);
  EXPECT_EQ(reason_in(hear(second)), expected);
}

TEST(JoinRefusals, numbers_of_ranks_that_differ) {
  const auto id = comm::make_unique_id(kOnLoopback);
  auto wrong = requests(3);
  wrong[2].place.ranks = 4;
  const auto attempts = join_together(id, wrong);
  EXPECT_THAT(attempts, Each(AllOf(failed_with("numbers of ranks differ"), failed_with("\"3\" at "),
                                   failed_with("\"4\" at rank 2 (process "), at_once())));
}

TEST(JoinRefusals, options_that_differ) {
  const auto id = comm::make_unique_id(kOnLoopback);
  auto wrong = requests(3);
  wrong[1].options = "a=2";
  const auto attempts = join_together(id, wrong);
  EXPECT_THAT(attempts, Each(AllOf(failed_with("options differ"), failed_with("\"a=1\" at rank "),
                                   failed_with("\"a=2\" at rank 1 (process "), at_once())));
}

/// Rank 0 joins; rank 1 is only pretended, and says `self` of itself.
Attempt join_with(const comm::UniqueId& id, const comm::Introduction& self) {
  const auto socket = call_on(id);
  say(socket, comm::encode(comm::Join{comm::unpack(id).secret, 60'000, 60'000, self}));
  return try_to_join(id, requests(2)[0]);
}

TEST(JoinRefusals, machines_that_differ) {
  const auto id = comm::make_unique_id(kOnLoopback);
  comm::Introduction self = pretend(1, 2);
  self.host = "another machine";
  EXPECT_THAT(join_with(id, self),
              AllOf(failed_with("\"another machine\" at rank 1 (process 4242)"),
                    failed_with("works within one machine"), at_once()));
}

TEST(JoinRefusals, network_namespaces_that_differ) {
  const auto id = comm::make_unique_id(kOnLoopback);
  comm::Introduction self = pretend(1, 2);
  self.network = "net:[1]";
  EXPECT_THAT(join_with(id, self),
              AllOf(failed_with("network namespace net:["), failed_with("in net:[1]"),
                    failed_with("--network=host"), at_once()));
}

TEST(JoinRefusals, a_rank_that_cannot_be) {
  const auto id = comm::make_unique_id(kOnLoopback);
  const comm::Secret secret = comm::unpack(id).secret;
  const auto socket = call_on(id);
  say(socket, comm::encode(comm::Join{secret, 60'000, 60'000, pretend(7, 2)}));
  EXPECT_THAT(reason_in(hear(socket)), HasSubstr("rank 7 (process 4242) of 2"));
}

TEST(JoinRefusals, missing_ranks_are_named_at_the_deadline) {
  const auto id = comm::make_unique_id(kOnLoopback);
  auto some = requests(5);
  for (auto& request : some) request.deadline = 1s;
  some = {some[0], some[3]};
  const auto attempts = join_together(id, some);
  EXPECT_THAT(attempts, Each(failed_with("ranks 1, 2 and 4 of 5 did not come within 1000 ms")));
  for (const Attempt& attempt : attempts) EXPECT_LE(attempt.took, 1s + 5s);
  // Who comes after that is told the same, and does not wait.
  const auto late = try_to_join(id, requests(5)[1]);
  EXPECT_THAT(late, AllOf(failed_with("ranks 1, 2 and 4 of 5 did not come"), at_once()));
}

TEST(JoinRefusals, missing_ranks_are_named_when_the_meeting_point_closes) {
  const auto id = comm::make_unique_id({"lo", 300ms});
  EXPECT_THAT(try_to_join(id, requests(2)[0]),
              AllOf(failed_with("rank 1 of 2 did not come within 300 ms"), at_once()));
}

TEST(JoinRefusals, a_rank_that_ends_before_all_have_come) {
  const auto id = comm::make_unique_id(kOnLoopback);
  std::vector<Attempt> attempts(2);
  std::thread early([&] { attempts[0] = try_to_join(id, requests(3)[0]); });
  {
    const auto socket = call_on(id);
    say(socket, comm::encode(comm::Join{comm::unpack(id).secret, 60'000, 60'000, pretend(1, 3)}));
    std::this_thread::sleep_for(50ms);
  }
  early.join();
  attempts[1] = try_to_join(id, requests(3)[2]);
  EXPECT_THAT(attempts,
              Each(AllOf(failed_with("rank 1 (process 4242) ended while joining"), at_once())));
}

TEST(JoinRefusals, a_rank_that_ends_before_it_is_linked) {
  // Rank 1 links to rank 0 and is linked to by rank 2: both ways end.
  for (const std::uint32_t dying : {0u, 1u, 2u}) {
    const auto id = comm::make_unique_id(kOnLoopback);
    auto others = requests(3);
    others.erase(others.begin() + dying);
    std::thread dies([&] {
      const auto socket = call_on(id);
      say(socket,
          comm::encode(comm::Join{comm::unpack(id).secret, 60'000, 60'000, pretend(dying, 3)}));
      EXPECT_TRUE(std::holds_alternative<comm::Welcome>(hear(socket).value()));
    });
    const auto attempts = join_together(id, others);
    dies.join();
    const std::string expected =
        "rank " + std::to_string(dying) + " (process 4242) ended while joining";
    EXPECT_THAT(attempts, Each(AllOf(failed_with(expected), at_once())));
  }
}

}  // namespace
}  // namespace conccl::test
