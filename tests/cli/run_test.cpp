// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// `conccl run`: what it gives to its ranks, and what it says and returns when they end.

#include <gtest/gtest.h>

#include <csignal>
#include <set>
#include <sstream>
#include <thread>

#include "tests/cli/support.hpp"

namespace conccl::test {
namespace {

using testing::HasSubstr;

Invocation run_shell(std::vector<std::string> options, const std::string& script) {
  options.insert(options.begin(), "run");
  options.insert(options.end(), {"/bin/sh", "-c", script});
  return {CONCCL_PROGRAM, std::move(options), {}};
}

std::multiset<std::string> lines_of(const std::string& text) {
  std::multiset<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.insert(line);
  return lines;
}

/// A process that is gone, or whose parent has only not looked yet.
bool has_ended(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(stat, text)) return true;
  return text.substr(text.rfind(')') + 2, 1) == "Z";
}

bool ends_soon(pid_t pid) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!has_ended(pid) && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return has_ended(pid);
}

TEST(Run, EveryRankHasItsPlaceInTheEnvironment) {
  const auto outcome = run_program(
      run_shell({"-n", "3"}, "echo $RANK $WORLD_SIZE $LOCAL_RANK $LOCAL_WORLD_SIZE $MASTER_ADDR"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(
      lines_of(outcome.out),
      (std::multiset<std::string>{"0 3 0 3 127.0.0.1", "1 3 1 3 127.0.0.1", "2 3 2 3 127.0.0.1"}));
  EXPECT_EQ(outcome.err, "");
}

TEST(Run, RanksShareAPortAndASecretThatAreNewInEveryRun) {
  const auto told = [] {
    const auto outcome = run_program(run_shell({"-n", "2"}, "echo $MASTER_PORT $CONCCL_SECRET"));
    const auto lines = lines_of(outcome.out);
    EXPECT_EQ(lines.size(), 2U);
    EXPECT_EQ(std::set(lines.begin(), lines.end()).size(), 1U);
    EXPECT_THAT(*lines.begin(), testing::MatchesRegex("[0-9]+ [0-9a-f]{32}"));
    return *lines.begin();
  };
  EXPECT_NE(told(), told());
}

TEST(Run, PlaceOfAnOuterRunIsReplaced) {
  auto invocation = run_shell({"-n", "1"}, "env | grep -c '^RANK=\\|^CONCCL_SECRET='; echo $RANK");
  invocation.environment = {{"RANK", "7"}, {"CONCCL_SECRET", "old"}};
  EXPECT_EQ(run_program(invocation).out, "2\n0\n");
}

TEST(Run, PortOfAnOuterRunDoesNotWinOverTheNewOne) {
  auto invocation = run_shell({"-n", "2"}, "echo ${CONCCL_PORT-none} ${CONCCL_PORTS-none}");
  invocation.environment = {{"CONCCL_PORT", "1"}, {"CONCCL_PORTS", "another"}};
  EXPECT_EQ(run_program(invocation).out, "none another\nnone another\n");
}

TEST(Run, InterfaceIsWhereTheRanksMeet) {
  const auto outcome = run_program(
      run_shell({"-n", "1", "--interface", "lo"}, "echo $MASTER_ADDR $CONCCL_SOCKET_IFNAME"));
  EXPECT_EQ(outcome.out, "127.0.0.1 lo\n");
}

TEST(Run, WhatFollowsTheProgramIsTheProgramsOwn) {
  for (const auto& separator : {std::vector<std::string>{}, std::vector<std::string>{"--"}}) {
    std::vector<std::string> arguments{"run", "-n", "1"};
    arguments.insert(arguments.end(), separator.begin(), separator.end());
    arguments.insert(arguments.end(), {"echo", "-n", "5", "--tag", "--", "plan", "--help"});
    EXPECT_EQ(conccl(arguments).out, "5 --tag -- plan --help");
  }
}

TEST(Run, RankZeroReadsTheInputAndTheOthersNone) {
  auto invocation = run_shell({"-n", "3", "--tag"}, "cat; echo .");
  invocation.input = "for rank 0\n";
  const auto outcome = run_program(invocation);
  EXPECT_EQ(lines_of(outcome.out),
            (std::multiset<std::string>{"[0] for rank 0", "[0] .", "[1] .", "[2] ."}));
}

TEST(Run, TagsEveryLineOfBothStreams) {
  const auto outcome = run_program(
      run_shell({"-n", "2", "--tag"}, "echo one; echo two; printf 'no end'; echo oops >&2"));
  EXPECT_EQ(lines_of(outcome.out),
            (std::multiset<std::string>{"[0] one", "[0] two", "[0] no end", "[1] one", "[1] two",
                                        "[1] no end"}));
  EXPECT_EQ(lines_of(outcome.err), (std::multiset<std::string>{"[0] oops", "[1] oops"}));
}

TEST(Run, TaggedLinesStayWholeWhenThereAreMany) {
  const auto outcome = run_program(
      run_shell({"-n", "3", "--tag"},
                "i=0; while [ $i -lt 2000 ]; do echo line-of-rank-$RANK; i=$((i+1)); done"));
  const auto lines = lines_of(outcome.out);
  for (const auto* rank : {"0", "1", "2"}) {
    EXPECT_EQ(lines.count(std::string("[") + rank + "] line-of-rank-" + rank), 2000U);
  }
  EXPECT_EQ(lines.size(), 6000U);
}

TEST(Run, ReturnsTheCodeOfTheRankThatFailedFirst) {
  const auto outcome = run_program(
      run_shell({"-n", "3"}, "if [ $RANK = 1 ]; then exit 7; fi; sleep 1; exit $((20 * RANK))"));
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_THAT(outcome.err,
              testing::MatchesRegex("conccl: rank 1 \\(process [0-9]+\\) exited with 7\n"));
}

TEST(Run, NamesTheRankThatASignalEnded) {
  const auto outcome = run_program(
      run_shell({"-n", "3", "--grace", "30"}, "[ $RANK = 2 ] && kill -KILL $$; sleep 0.2; exit 0"));
  EXPECT_EQ(outcome.exit_code, 128 + SIGKILL);
  EXPECT_THAT(outcome.err,
              testing::MatchesRegex(
                  "conccl: rank 2 \\(process [0-9]+\\) was ended by signal 9 \\(Killed\\)\n"));
}

TEST(Run, RanksThatGoOnAfterAFailureAreAskedToEndAndCanSpeak) {
  const auto begin = std::chrono::steady_clock::now();
  const auto outcome =
      run_program(run_shell({"-n", "2", "--grace", "1"},
                            "[ $RANK = 1 ] && exit 3; trap 'echo last words; exit 0' TERM; "
                            "while :; do sleep 0.05; done"));
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.out, "last words\n");
  EXPECT_THAT(outcome.err, HasSubstr("1 of 2 ranks still run 1 s after rank 1"));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(900));
}

TEST(Run, RanksThatDoNotListenAreKilled) {
  const auto outcome =
      run_program(run_shell({"-n", "2", "--grace", "0"},
                            "[ $RANK = 1 ] && exit 3; trap '' TERM; while :; do sleep 0.05; done"),
                  std::chrono::seconds(20));
  EXPECT_EQ(outcome.exit_code, 3);
}

class PassedOn : public testing::TestWithParam<int> {};

TEST_P(PassedOn, ReachesEveryRankOnce) {
  Process process(run_shell({"-n", "3", "--tag"},
                            "trap 'echo got it; exit 9' INT TERM; echo ready; "
                            "while :; do sleep 0.05; done"));
  for (const auto* rank : {"[0]", "[1]", "[2]"}) {
    ASSERT_TRUE(process.wait_for_line({rank, "ready"}, std::chrono::seconds(20)));
  }
  process.send_signal(GetParam());
  const auto outcome = process.finish(std::chrono::seconds(20));
  EXPECT_EQ(outcome.exit_code, 9);
  const auto lines = lines_of(outcome.out);
  for (const auto* rank : {"[0]", "[1]", "[2]"}) {
    EXPECT_EQ(lines.count(std::string(rank) + " got it"), 1U) << outcome.out;
  }
}

INSTANTIATE_TEST_SUITE_P(Run, PassedOn, testing::Values(SIGINT, SIGTERM));

TEST(Run, TheSecondSignalKills) {
  Process process(run_shell({"-n", "2", "--tag"},
                            "trap 'echo got it' INT; echo ready; while :; do sleep 0.05; done"));
  for (const auto* word : {"ready", "got it"}) {
    for (const auto* rank : {"[0]", "[1]"}) {
      ASSERT_TRUE(process.wait_for_line({rank, word}, std::chrono::seconds(20)));
    }
    process.send_signal(SIGINT);
  }
  EXPECT_EQ(process.finish(std::chrono::seconds(20)).exit_code, 128 + SIGKILL);
}

TEST(Run, RanksEndWithTheLauncher) {
  Process process(run_shell({"-n", "2"}, "echo rank $RANK $$; exec sleep 600"));
  for (const auto* rank : {"rank 0", "rank 1"}) {
    ASSERT_TRUE(process.wait_for_line({rank}, std::chrono::seconds(20)));
  }
  std::vector<pid_t> ranks;
  for (const auto& line : lines_of(process.output())) {
    ranks.push_back(std::stoi(line.substr(line.rfind(' '))));
  }
  process.send_signal(SIGKILL);
  EXPECT_EQ(process.finish(std::chrono::seconds(20)).exit_code, 128 + SIGKILL);
  ASSERT_EQ(ranks.size(), 2U);
  for (const pid_t rank : ranks) EXPECT_TRUE(ends_soon(rank)) << rank;
}

TEST(Run, ARankThatCannotBeStartedTakesTheOthersAlong) {
  const TemporaryDirectory directory;
  const auto file = directory.file("started");
  // Every rank takes two pipes of the launcher: soon there is no descriptor left.
  const auto outcome = run_program(
      {"/bin/sh",
       {"-c", "ulimit -n 24; exec " CONCCL_PROGRAM " run -n 40 --tag /bin/sh -c 'echo $$ >>" +
                  file + "; exec sleep 600'"},
       {}},
      std::chrono::seconds(20));
  expect_error(outcome, cli::ExitCode::run_failed, "open files");
  std::istringstream started(directory.read("started"));
  for (pid_t rank = 0; started >> rank;) EXPECT_TRUE(ends_soon(rank)) << rank;
}

TEST(Run, WhatIsTypedAtATerminalGoesToRankZero) {
  // script(1) makes the terminal, and types its own input.
  Invocation invocation{"/bin/sh",
                        {"-c", "script -qec \"" CONCCL_PROGRAM
                               " run -n 2 --tag sh -c 'read x; echo got \\$x.'\" /dev/null"},
                        {}};
  invocation.input = "hello\n";
  const auto outcome = run_program(invocation, std::chrono::seconds(20));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("[0] got hello."));
  EXPECT_THAT(outcome.out, HasSubstr("[1] got ."));
}

TEST(Run, WhatARankHasStartedEndsWithIt) {
  const auto outcome = run_program(run_shell({"-n", "1"}, "sleep 300 & echo $!; exit 3"));
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_TRUE(ends_soon(std::stoi(outcome.out)));
}

}  // namespace
}  // namespace conccl::test
