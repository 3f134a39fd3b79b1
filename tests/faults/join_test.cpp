// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Ranks that do not fit together, and ids that are wrong or have served.

#include <fmt/format.h>

#include "tests/faults/crew.hpp"

namespace conccl::test {
namespace {

using testing::Each;

constexpr std::chrono::milliseconds kDeadline = 20s;
constexpr std::chrono::milliseconds kAtOnce = 5s;

std::string join_command(const std::string& id, int rank, int ranks) {
  return fmt::format("join {} {} {} {}", id, rank, ranks, kDeadline.count());
}

/// The same meeting point, another secret.
std::string spoiled(std::string id) {
  // The secret follows magic, version, opening, family, port, scope and host: 34 bytes.
  char& digit = id[2 * 34];
  digit = digit == '0' ? '1' : '0';
  return id;
}

TEST(Joining, TwoRanksOfOneNumberAreBothNamed) {
  Crew crew(3);
  const auto id = new_id();
  const auto at = Clock::now();
  crew[0].tell(join_command(id, 0, 3));
  crew[1].tell(join_command(id, 1, 3));
  crew[2].tell(join_command(id, 1, 3));
  const auto heard = answers(crew, {-1, kDeadline});
  const auto text = error_with({"two ranks have the number 1: processes",
                                std::to_string(crew[1].pid()), std::to_string(crew[2].pid())});
  EXPECT_THAT(heard, Each(text));
  EXPECT_LT(slowest(heard, at), kAtOnce);
  crew.finish();
}

TEST(Joining, DifferentNumbersOfRanksAreNamed) {
  Crew crew(2);
  const auto id = new_id();
  crew[0].tell(join_command(id, 0, 2));
  crew[1].tell(join_command(id, 1, 3));
  const auto heard = answers(crew, {-1, kDeadline});
  EXPECT_THAT(heard, Each(error_with({"numbers of ranks", "2", "3"})));
  crew.finish();
}

TEST(Joining, AWrongIdIsRefusedAndTheOthersGoOn) {
  Crew crew(4);
  const auto id = new_id();
  for (int rank = 0; rank < 3; ++rank) crew[rank].tell(join_command(id, rank, 4));
  for (int i = 0; i < 3; ++i) {
    crew[3].tell(join_command(spoiled(id), 3, 4));
    EXPECT_THAT(crew[3].answer(kPatience), error_with({"not the id of this communicator"}));
  }
  crew[3].tell(join_command(id, 3, 4));
  crew.all_ok();
  crew.all_ok("windows 2097152");
  crew.all_ok("loop 1 10");
  crew.finish();
}

TEST(Joining, AnIdServesOnce) {
  Crew crew(3);
  const auto id = new_id();
  crew[0].tell(join_command(id, 0, 2));
  crew[1].tell(join_command(id, 1, 2));
  EXPECT_TRUE(crew[0].answer(kPatience).ok());
  EXPECT_TRUE(crew[1].answer(kPatience).ok());
  const auto at = Clock::now();
  crew[2].tell(join_command(id, 0, 2));
  const auto late = crew[2].answer(kPatience);
  EXPECT_THAT(late, error_with({"an id serves one communicator"}));
  EXPECT_LT(late.at - at, kAtOnce);
  for (const int rank : {0, 1}) crew[rank].tell("call all_gather ordinary 1000 int32 1");
  EXPECT_TRUE(crew[0].answer(kPatience).ok());
  EXPECT_TRUE(crew[1].answer(kPatience).ok());
  crew.finish();
}

TEST(Joining, AnIdWhoseMakerEndedIsRefusedAtOnce) {
  Crew crew(2);
  crew[0].tell("id 20000");
  const auto id = crew[0].answer(kPatience);
  ASSERT_TRUE(id.ok());
  crew[0].tell("exit");
  EXPECT_EQ(crew[0].finish(kPatience), 0);
  const auto at = Clock::now();
  crew[1].tell(join_command(id.text, 1, 2));
  const auto answer = crew[1].answer(kPatience);
  EXPECT_THAT(answer, error_with({"its maker must still run"}));
  EXPECT_LT(answer.at - at, kAtOnce);
}

TEST(Joining, RubbishIsNoId) {
  Crew crew(1);
  crew[0].tell("join 1234 0 1 1000");
  EXPECT_THAT(crew[0].answer(kPatience), error_with({"InputError"}));
  crew[0].tell(join_command(std::string(256, '0'), 0, 1));
  EXPECT_THAT(crew[0].answer(kPatience), error_with({"InputError"}));
}

}  // namespace
}  // namespace conccl::test
