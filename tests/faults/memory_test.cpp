// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Buffers freed while they are registered; memory and files that run out; what many communicators
// leave behind.

#include <fmt/format.h>

#include <map>
#include <sstream>
#include <thread>

#include "tests/faults/crew.hpp"

namespace conccl::test {
namespace {

using testing::AnyOf;
using testing::Each;

using Facts = std::map<std::string, long>;

constexpr std::size_t kFacts = 5;

/// The next ones of an answer; fewer when it does not have as many.
Facts facts_in(std::istringstream& words) {
  Facts facts;
  std::string word;
  for (std::size_t i = 0; i < kFacts && words >> word; ++i) {
    const auto equals = word.find('=');
    facts[word.substr(0, equals)] = std::stol(word.substr(equals + 1));
  }
  return facts;
}

Facts facts_of(RankProcess& rank) {
  rank.tell("facts");
  std::istringstream words(rank.answer(kPatience).text);
  auto facts = facts_in(words);
  EXPECT_EQ(facts.size(), kFacts);
  return facts;
}

/// Once nothing more comes or goes: peers let go of memory when their watchdogs look.
Facts settled_facts_of(RankProcess& rank) {
  auto facts = facts_of(rank);
  for (auto until = Clock::now() + 1s; Clock::now() < until;) {
    std::this_thread::sleep_for(50ms);
    auto now = facts_of(rank);
    if (now["shared"] != facts["shared"] || now["files"] != facts["files"])
      until = Clock::now() + 1s;
    facts = std::move(now);
  }
  return facts;
}

/// Registers buffers, frees them, and takes the registration back.
void register_and_free(Crew& crew) {
  crew.all_ok("windows 2097152");
  crew.all_ok("call all_to_all window 5000 int32 1");
  crew.all_ok("free");
  crew.all_ok("call all_to_all window 5000 int32 2");
  crew.all_ok("deregister");
}

TEST(FreedMemory, OfOneRankStaysInPlaceWhileRegistered) {
  Crew crew(4);
  crew.join(kPatience);
  crew.all_ok("windows 2097152");
  crew.all_ok("call all_gather window 5000 int32 1");
  crew[1].tell("free");
  EXPECT_TRUE(crew[1].answer(kPatience).ok());
  crew.all_ok("call all_gather window 5000 int32 2");
  crew.all_ok("call all_to_all window 5000 int32 3");
  crew.all_ok("leave");
  crew.finish();
}

TEST(FreedMemory, IsUnmappedEverywhereAfterDeregistration) {
  Crew crew(4);
  crew.join(4s);            // its watchdogs tell of freed memory within an eighth of that
  register_and_free(crew);  // some things are made once, when they are first needed
  std::vector<Facts> before;
  for (int rank = 0; rank < 4; ++rank) before.push_back(settled_facts_of(crew[rank]));
  crew.all_ok("windows 2097152");
  crew.all_ok("call all_to_all window 5000 int32 3");
  EXPECT_GE(facts_of(crew[0])["shared"], before[0]["shared"] + 8);
  crew.all_ok("deregister");
  register_and_free(crew);
  for (int rank = 0; rank < 4; ++rank) {
    const auto until = Clock::now() + 10s;
    auto now = facts_of(crew[rank]);
    while (now["shared"] > before[static_cast<std::size_t>(rank)]["shared"] &&
           Clock::now() < until) {
      std::this_thread::sleep_for(20ms);
      now = facts_of(crew[rank]);
    }
    EXPECT_EQ(now["shared"], before[static_cast<std::size_t>(rank)]["shared"]) << rank;
    EXPECT_EQ(now["files"], before[static_cast<std::size_t>(rank)]["files"]) << rank;
  }
  crew.all_ok("leave");
  crew.finish();
}

/// Neither files nor mappings nor threads pile up, and memory hardly.
void expect_no_growth(const std::string& answer, int communicators) {
  std::istringstream words(answer);
  auto before = facts_in(words);
  auto after = facts_in(words);
  ASSERT_EQ(before.size(), kFacts) << answer;
  ASSERT_EQ(after.size(), kFacts) << answer;
  std::printf("after %d communicators: %s\n", communicators, answer.c_str());
  EXPECT_LE(after["files"], before["files"]);
  EXPECT_LE(after["shared"], before["shared"]);
  EXPECT_LE(after["threads"], before["threads"]);
#ifndef CONCCL_ADDRESS_SANITIZER  // which keeps freed memory, and maps more for it
  // Arenas of the allocator come and go with threads.
  EXPECT_LE(after["maps"], before["maps"] + 20);
  EXPECT_LE(after["rss_kib"], before["rss_kib"] + 1024);
#endif
}

TEST(ManyCommunicators, BetweenProcessesLeaveNothing) {
  constexpr int kCount = 500;
  Crew crew(4);
  crew.join(kPatience);
  crew.tell_all(fmt::format("many {}", kCount));
  for (int rank = 0; rank < 4; ++rank) {
    const auto answer = crew[rank].answer(170s);
    ASSERT_TRUE(answer.ok()) << testing::PrintToString(answer);
    expect_no_growth(answer.text, kCount);
  }
  crew.finish();
}

TEST(ManyCommunicators, InOneProcessLeaveNothing) {
  constexpr int kCount = 500;
  RankProcess process;
  process.tell(fmt::format("many-local {} 4", kCount));
  const auto answer = process.answer(170s);
  ASSERT_TRUE(answer.ok()) << testing::PrintToString(answer);
  expect_no_growth(answer.text, kCount);
}

TEST(NoMemory, IsSaidWithTheBound) {
  RankProcess process;
  process.tell("allocate 1000000000000000 1");
  EXPECT_THAT(process.answer(kPatience),
              error_with({"RunError", "1000000000000000", "bytes, expected at most"}));
}

class NoFiles : public testing::Test {
 protected:
  void SetUp() override {
#ifdef CONCCL_ADDRESS_SANITIZER
    GTEST_SKIP() << "the sanitizer opens pipes to look at objects, and takes those it cannot look "
                    "at for wrong ones";
#endif
  }
};

TEST_F(NoFiles, IsSaidByTheRankItself) {
  RankProcess process;
  process.tell("limit-files 32");
  EXPECT_TRUE(process.answer(kPatience).ok());
  process.tell("allocate 1048576 64");
  EXPECT_THAT(process.answer(kPatience), error_with({"RunError", "all 32 files open that it may"}));
}

TEST_F(NoFiles, WhileJoiningHoldsNobodyUp) {
  Crew crew(4);
  crew[2].tell("limit-files 12");
  EXPECT_TRUE(crew[2].answer(kPatience).ok());
  crew.tell_to_join(new_id(), 3s);
  const auto at = Clock::now();
  const auto heard = answers(crew, {-1, kPatience});
  EXPECT_THAT(heard[2], error_with({"files open that it may"}));
  for (const int rank : {0, 1, 3}) {
    EXPECT_THAT(heard[static_cast<std::size_t>(rank)], error_with({"rank 2"})) << rank;
  }
  EXPECT_LT(slowest(heard, at), 8s);
  crew.finish();
}

// Every allocation of a peer is a file here.
TEST_F(NoFiles, ForThePeersMemoryIsNamedByAll) {
  Crew crew(4);
  crew.join(3s);
  crew[2].tell("limit-files 100");
  EXPECT_TRUE(crew[2].answer(kPatience).ok());
  crew.tell_all("announce 24");
  const auto at = Clock::now();
  const auto heard = answers(crew, {-1, kPatience});
  // Rank 2 may notice it itself, before its peers' memory comes.
  EXPECT_THAT(heard, Each(testing::AnyOf(error_with({"rank 2"}),
                                         error_with({"this process has all 100 files open"}))));
  EXPECT_LT(slowest(heard, at), 8s);
  crew.finish();
}

}  // namespace
}  // namespace conccl::test
