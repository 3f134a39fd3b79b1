// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `RankProcess`: a conccl-rank, told what to do through pipes. The program lies beside that of the
/// test.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace conccl::test {

using Clock = std::chrono::steady_clock;

/// What a rank said to one command.
struct Answer {
  enum class Kind { ok, error, ended, silence };

  Kind kind = Kind::silence;
  std::string text;  ///< behind "ok " or "error "
  Clock::time_point at;

  [[nodiscard]] bool ok() const { return kind == Kind::ok; }
  [[nodiscard]] bool error() const { return kind == Kind::error; }
};

/// Killed at destruction if it still runs; it also dies with the test.
class RankProcess {
 public:
  /// `wrapper`: a program and its arguments that runs the one behind them; `arguments`: of that
  /// one. Throws std::runtime_error when it cannot be started.
  explicit RankProcess(const std::vector<std::string>& wrapper = {},
                       const std::vector<std::string>& arguments = {});
  ~RankProcess();
  RankProcess(const RankProcess&) = delete;
  RankProcess& operator=(const RankProcess&) = delete;

  /// One command; a rank that is gone does not hear it.
  void tell(const std::string& command);
  /// The next answer to a command; other lines are skipped. After `limit`: silence.
  [[nodiscard]] Answer answer(std::chrono::milliseconds limit);
  /// Whether the line came before the limit; answers before it are skipped.
  [[nodiscard]] bool said(const std::string& line, std::chrono::milliseconds limit);

  void signal(int number) const;
  /// Closes its input and waits for its end. Its exit code, or 128 plus the signal's number; -1
  /// when it does not end in time.
  [[nodiscard]] int finish(std::chrono::milliseconds limit);
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  /// The next whole line; false at its end or after the limit.
  [[nodiscard]] bool next_line(std::string& line, Clock::time_point until);

  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  bool ended_ = false;
  std::string text_;  ///< read, not yet a line
};

}  // namespace conccl::test
