// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Ranks that are processes on GPUs: killed, faulty, at odds; memory of every maker between them.

#include <fmt/format.h>

#include <csignal>
#include <thread>

#include "tests/faults/crew.hpp"

namespace conccl::test {
namespace {

using testing::Each;

constexpr std::chrono::milliseconds kDeadline = 20s;
constexpr std::chrono::milliseconds kAtOnce = 5s;
const CrewOptions kOnGpus{"cuda", {}};

std::string name_of(Crew& crew, int rank) {
  return fmt::format("rank {} (process {})", rank, crew[rank].pid());
}

class GpuRank : public testing::TestWithParam<int> {
 protected:
  [[nodiscard]] static int victim() { return GetParam(); }
  [[nodiscard]] static int survivor() { return 1 - GetParam(); }

  /// Kills the victim; what the survivor answers next names it, soon, and the survivor ends well.
  static void expect_named(Crew& crew) {
    const auto name = name_of(crew, victim());
    const auto killed_at = Clock::now();
    crew[victim()].signal(SIGKILL);
    EXPECT_EQ(crew[victim()].finish(kPatience), 128 + SIGKILL);
    const auto answer = crew[survivor()].answer(kPatience);
    EXPECT_THAT(answer, error_with({name}));
    EXPECT_LT(answer.at - killed_at, kAtOnce);
    crew[survivor()].tell("leave");
    EXPECT_TRUE(crew[survivor()].answer(kPatience).ok());
    EXPECT_EQ(crew[survivor()].finish(kPatience), 0);
  }
};

TEST_P(GpuRank, KilledBetweenCollectivesIsNamed) {
  Crew crew(2, kOnGpus);
  crew.join(kDeadline);
  crew.all_ok("windows 2097152");
  crew.tell_all("loop 1 1000000000");
  std::this_thread::sleep_for(300ms);
  expect_named(crew);
}

TEST_P(GpuRank, KilledWhileStreamsAreFullIsNamedAndTheyEnd) {
  Crew crew(2, kOnGpus);
  crew.join(kDeadline);
  crew.all_ok("windows 1073741824");
  crew.tell_all("enqueue all_gather window 536870912 uint8 200");
  crew.all_ok();
  crew.tell_all("wait");
  expect_named(crew);
}

TEST_P(GpuRank, WhoseKernelFaultsNamesTheErrorAndThePeerIsReleased) {
  Crew crew(2, kOnGpus);
  crew.join(kDeadline);
  crew.all_ok("windows 2097152");
  const auto name = name_of(crew, victim());
  crew[survivor()].tell("loop 1 1000000000");
  crew[victim()].tell("fault");
  EXPECT_THAT(crew[victim()].answer(kPatience), error_with({"CUDA_ERROR_ILLEGAL_ADDRESS"}));
  crew[victim()].tell("call all_gather window 1000 int32 1");
  EXPECT_THAT(crew[victim()].answer(kPatience), error_with({"CUDA_ERROR_ILLEGAL_ADDRESS"}));
  const auto ended_at = Clock::now();
  crew[victim()].tell("exit");
  const auto answer = crew[survivor()].answer(kPatience);
  EXPECT_THAT(answer, error_with({fmt::format("rank {}", victim())}));
  EXPECT_LT(answer.at - ended_at, kAtOnce);
  EXPECT_EQ(crew[survivor()].finish(kPatience), 0);
}

INSTANTIATE_TEST_SUITE_P(Gpu, GpuRank, testing::Values(0, 1));

TEST(GpuMismatch, OfCountsNamesBothOnBoth) {
  for (const char* home : {"ordinary", "window"}) {
    Crew crew(2, kOnGpus);
    crew.join(3s);
    crew.all_ok("windows 2097152");
    crew[0].tell(fmt::format("call all_gather {} 1000 int32 1", home));
    crew[1].tell(fmt::format("call all_gather {} 1001 int32 1", home));
    const auto heard = answers(crew, {-1, kPatience});
    EXPECT_THAT(heard,
                Each(error_with({"count of all_gather", "rank 0 has 1000", "rank 1 has 1001"})))
        << home;
    crew.finish();
  }
}

TEST(GpuMismatch, OfWindowSizesNamesBothOnBoth) {
  Crew crew(2, kOnGpus);
  crew.join(3s);
  crew[0].tell("windows 2097152");
  crew[1].tell("windows 4194304");
  const auto heard = answers(crew, {-1, kPatience});
  EXPECT_THAT(heard, Each(error_with({"count of register_window", "2097152", "4194304"})));
  crew.finish();
}

TEST(OneConnection, RanksAsProcessesDoNotStandInEachOthersWay) {
  Crew crew(2, {"cuda", {"env", "CUDA_DEVICE_MAX_CONNECTIONS=1"}});
  crew.join(kDeadline);
  crew.all_ok("windows 2097152");
  crew.all_ok("loop 7 300");
  crew.finish();
}

class GpuMemoryBetweenProcesses : public testing::TestWithParam<const char*> {};

TEST_P(GpuMemoryBetweenProcesses, IsUsedFreedAndMadeAgain) {
  Crew crew(2, kOnGpus);
  crew.join(kDeadline);
  for (int round = 1; round <= 5; ++round) {
    crew.all_ok(fmt::format("foreign {} 16777216", GetParam()));
    crew.all_ok(fmt::format("call all_gather foreign 7000001 uint8 {}", round));
    crew.all_ok(fmt::format("call all_to_all foreign 2000001 int32 {}", round));
  }
  crew.finish();
}

TEST_P(GpuMemoryBetweenProcesses, IsRegisteredFreedAndRegisteredAgain) {
  Crew crew(2, kOnGpus);
  crew.join(kDeadline);
  for (int round = 1; round <= 5; ++round) {
    crew.all_ok(fmt::format("windows 16777216 {}", GetParam()));
    crew.all_ok(fmt::format("call all_gather window 7000001 uint8 {}", round));
    crew.all_ok("deregister");
  }
  crew.finish();
}

INSTANTIATE_TEST_SUITE_P(Gpu, GpuMemoryBetweenProcesses, testing::Values("malloc", "pieces"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace conccl::test
