// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The command-line tool, as a function: a program with more backends is a main of its own.
#pragma once

#include "conccl/backend/registry.hpp"

namespace conccl::cli {

/// What the process exits with; docs/errors.md lists what leads to each.
enum class ExitCode : int {
  ok = 0,
  check_failed = 1,  ///< wrong bytes, or a well-formed plan that was refused
  usage = 2,         ///< wrong usage or malformed input
  unavailable = 3,   ///< no such device or capability here
  run_failed = 4,    ///< a deadline, a dead rank, a full disk
  interrupted = 130  ///< Ctrl-C, SIGTERM; reports say "partial": true
};

/// Runs `conccl` with these arguments and returns an ExitCode. Prints results on standard output
/// and one line per error on standard error. Never throws. Takes over SIGINT and SIGTERM while
/// something long runs: the first asks it to stop, the second ends the process.
[[nodiscard]] int run_tool(int argc, char** argv, const backend::Registry& registry) noexcept;

}  // namespace conccl::cli
