// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace conccl {
namespace {

using testing::ElementsAre;
using testing::Pair;

class Log : public testing::Test {
 protected:
  void TearDown() override { set_log_sink({}); }
};

TEST_F(Log, HandsLinesToTheSinkInOrder) {
  std::vector<std::pair<LogLevel, std::string>> lines;
  set_log_sink([&](LogLevel level, std::string_view line) { lines.emplace_back(level, line); });
  log(LogLevel::info, "first");
  log(LogLevel::warning, "second");
  EXPECT_THAT(lines, ElementsAre(Pair(LogLevel::info, "first"), Pair(LogLevel::warning, "second")));
}

TEST_F(Log, IsSilentWithoutASink) {
  int calls = 0;
  set_log_sink([&](LogLevel, std::string_view) { ++calls; });
  set_log_sink({});
  log(LogLevel::warning, "nobody listens");
  EXPECT_EQ(calls, 0);
}

TEST_F(Log, LetsASinkReplaceItself) {
  std::vector<std::string> lines;
  set_log_sink([&](LogLevel, std::string_view line) {
    lines.emplace_back(line);
    set_log_sink({});
  });
  log(LogLevel::info, "once");
  log(LogLevel::info, "twice");
  EXPECT_THAT(lines, ElementsAre("once"));
}

TEST_F(Log, LosesNoLineWhileTheSinkIsReplaced) {
  constexpr int kLines = 2000;
  std::atomic<int> heard{0};
  const auto sink = [&](LogLevel, std::string_view) { ++heard; };
  set_log_sink(sink);
  std::thread writer([&] {
    for (int i = 0; i < kLines; ++i) log(LogLevel::debug, "line");
  });
  for (int i = 0; i < kLines; ++i) set_log_sink(sink);
  writer.join();
  EXPECT_EQ(heard, kLines);
}

}  // namespace
}  // namespace conccl
