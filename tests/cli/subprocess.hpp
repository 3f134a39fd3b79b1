// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Programs under test, run as a user runs them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace conccl::test {

/// A program with its arguments, variables added to this process's environment, and what it reads.
struct Invocation {
  std::string program;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string input = {};
};

struct Outcome {
  int exit_code = -1;  ///< 128 plus the signal's number when a signal ended it
  std::string out;
  std::string err;
};

/// A running program, killed at destruction if it still runs.
class Process {
 public:
  /// Throws std::runtime_error when it cannot be started.
  explicit Process(const Invocation& invocation);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Reads until standard output holds a line that has all of `words`; false at its end or limit.
  [[nodiscard]] bool wait_for_line(const std::vector<std::string>& words,
                                   std::chrono::seconds limit);
  void send_signal(int number) const;
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// What has been read of standard output.
  [[nodiscard]] const std::string& output() const { return outcome_.out; }
  /// Reads to the end. Throws std::runtime_error when the program does not end within the limit.
  [[nodiscard]] Outcome finish(std::chrono::seconds limit);

 private:
  [[nodiscard]] bool read_some(std::chrono::steady_clock::time_point until);

  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
  Outcome outcome_;
};

[[nodiscard]] Outcome run_program(const Invocation& invocation,
                                  std::chrono::seconds limit = std::chrono::seconds(120));

}  // namespace conccl::test
