// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Crew`: all ranks of a communicator, each a process; and what is expected of them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/faults/rank_process.hpp"

namespace conccl::test {

using namespace std::chrono_literals;

/// Long enough for any command that is to succeed, on a loaded machine under a sanitizer.
inline constexpr std::chrono::milliseconds kPatience = 60s;

/// How ranks are started.
struct CrewOptions {
  std::string backend = CONCCL_TEST_BACKEND;  ///< rank i gets device i
  std::vector<std::string> wrapper;           ///< a program that runs each rank
};

struct Crew {
  /// Starts the processes and waits until they have a device.
  explicit Crew(int ranks, const CrewOptions& options = {});

  [[nodiscard]] RankProcess& operator[](int rank) { return *ranks[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] int size() const { return static_cast<int>(ranks.size()); }

  [[nodiscard]] std::vector<pid_t> pids() const;

  void tell_all(const std::string& command);
  void tell_all_but(int absent, const std::string& command);
  /// Tells rank i to join as rank i by `id`.
  void tell_to_join(const std::string& id, std::chrono::milliseconds deadline);
  /// By an id of this process's; fails the test when it does not work.
  void join(std::chrono::milliseconds deadline);
  /// Fails the test unless every rank answers "ok"; by rank.
  std::vector<std::string> all_ok();
  std::vector<std::string> all_ok(const std::string& command);
  /// Fails the test unless all end well.
  void finish();

  std::vector<std::unique_ptr<RankProcess>> ranks;
};

/// A new meeting point in this process, as text.
[[nodiscard]] std::string new_id(std::chrono::milliseconds deadline = kPatience);

/// The answers of all ranks, or of all but one, each within the limit.
struct Reading {
  int absent = -1;
  std::chrono::milliseconds limit = kPatience;
};
[[nodiscard]] std::vector<Answer> answers(Crew& crew, const Reading& reading);
/// Reads on until the first answer that is not "ok", at most `commands` of them.
[[nodiscard]] std::vector<Answer> first_errors(Crew& crew, int commands, const Reading& reading);

/// An error whose text has all of these.
testing::Matcher<const Answer&> error_with(const std::vector<std::string>& texts);
void PrintTo(const Answer& answer, std::ostream* out);

/// The longest from `since` to an answer.
[[nodiscard]] std::chrono::milliseconds slowest(const std::vector<Answer>& answers,
                                                Clock::time_point since);

}  // namespace conccl::test
