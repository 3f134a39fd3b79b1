// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// One rank as a process: how it is started, and how it ended.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>
#include <vector>

namespace conccl::cli {

/// What a process is started with. A descriptor of -1: this process's own, and for the input
/// /dev/null.
struct ProcessSpec {
  std::vector<std::string> command;      ///< looked for in PATH as a shell does
  std::vector<std::string> environment;  ///< all of it, "NAME=value"
  int input = -1;
  int output = -1;
  int error = -1;
  sigset_t blocked{};  ///< signals it starts with blocked
};

/// Starts a process in a group of its own, which the kernel kills when the calling thread ends.
/// Throws InputError when the program is not there or cannot be executed, RunError when the machine
/// has no room for a process.
[[nodiscard]] pid_t start_process(const ProcessSpec& spec);

/// How a rank's process ended.
struct RankEnd {
  enum class Kind { exited, signalled };

  int rank = 0;
  pid_t pid = 0;
  Kind kind = Kind::exited;
  int value = 0;  ///< exit code, or number of the signal

  [[nodiscard]] bool failed() const { return kind == Kind::signalled || value != 0; }
  /// As shells count: 128 plus the signal's number.
  [[nodiscard]] int exit_code() const { return kind == Kind::signalled ? 128 + value : value; }
};

/// From what waitpid() said.
[[nodiscard]] RankEnd rank_end(int rank, pid_t pid, int status);
/// "rank 2 (process 4711) was ended by signal 9 (Killed)"
[[nodiscard]] std::string text_of(const RankEnd& end);

}  // namespace conccl::cli
