// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Errors. What ends an operation is an exception of one of the five types below; an expected
/// answer is a return value; a broken invariant is `ensure`, which prints both sides.
/// docs/errors.md lists which exit code of the tool belongs to which type.
#pragma once

#include <source_location>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace conccl {

/// `text` with its control characters spelled out ("\\n", "\\x1b"): what a stranger wrote then
/// stays on one line, and does nothing to a terminal.
[[nodiscard]] std::string one_line(std::string_view text);

/// Base of everything the library throws on purpose. `what()` is one line: what, where, expected.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(one_line(message)) {}
};

/// A place in an input file. Lines and columns count from 1; 0 means unknown.
struct SourcePosition {
  std::string file;
  int line = 0;
  int column = 0;
};

/// Wrong usage or malformed input (exit code 2).
class InputError : public Error {
 public:
  explicit InputError(const std::string& message) : Error(message) {}
  /// The message is prefixed with "file:line:column: ", leaving out what is unknown.
  InputError(const SourcePosition& where, const std::string& message);
};

/// A check failed: wrong bytes, or a well-formed plan that the verifier refuses (exit code 1).
class CheckFailed : public Error {
 public:
  using Error::Error;
};

/// No such device or capability here; the message says why (exit code 3).
class Unavailable : public Error {
 public:
  using Error::Error;
};

/// Something went wrong while running: a deadline, a dead rank, a full disk (exit code 4).
class RunError : public Error {
 public:
  using Error::Error;
};

/// The user interrupted the run (exit code 130).
class Interrupted : public Error {
 public:
  using Error::Error;
};

/// A broken invariant: a defect of this library, never of its input.
class BrokenInvariant : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void throw_broken_invariant(const std::string& detail, std::source_location where);

/// Throws BrokenInvariant with both values when `left != right`.
template <typename Left, typename Right>
void ensure_equal(const Left& left, const Right& right, std::string_view what,
                  std::source_location where = std::source_location::current()) {
  if (left == right) return;
  std::ostringstream detail;
  detail << what << ": " << left << " is not " << right;
  throw_broken_invariant(detail.str(), where);
}

/// Throws BrokenInvariant when `condition` is false.
inline void ensure(bool condition, std::string_view what,
                   std::source_location where = std::source_location::current()) {
  if (!condition) throw_broken_invariant(std::string(what), where);
}

}  // namespace conccl
